public import Model

/// A list of songs in its file.
public struct SetListFile: Hashable, Sendable {
    /// The file's name, without its ending.
    public let name: String
    public let list: SetList
    /// Identifies the bytes from which the list was read.
    public let digest: Digest

    public init(name: String, _ list: SetList, digest: Digest) { (self.name, self.list, self.digest) = (name, list, digest) }
}

/// A list of songs that somebody has put together.
public struct SetDraft: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// A file of its own.
        case new(day: String, time: String?, title: String)
        /// The file of a plan, as long as its bytes have this digest.
        case plan(PlanID, of: Digest)
    }

    /// What became of a draft.
    public enum Outcome: Hashable, Sendable {
        /// It is in the file of this name, without its ending. `isListed`: its plan is among those that are kept ready.
        case written(name: String, isListed: Bool)
        /// Somebody has changed the file, which stays as it is now.
        case changed(SetListFile)
    }

    public let place: Place
    public let lines: [SetList.Line]

    public init(_ place: Place, _ lines: [SetList.Line]) { (self.place, self.lines) = (place, lines) }

    /// Why no draft can be saved where nobody has named a folder.
    public static let noFolder = Trouble(
        .senseless(because: nil), "There is no folder for sets. 'woodshed setup --folder ~/Music/Sets' adds one; then save the set again.")
}
