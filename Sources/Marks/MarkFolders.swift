package import Model

/// The state of the folders that are searched for the user's mark files.
public struct MarkFolders: Hashable, Sendable {
    /// Folders that are not there.
    public internal(set) var missing: Set<String> = []
    /// Folders whose files went away all at once, with how many are not back; their marks stay until they are.
    public internal(set) var away: [String: Int] = [:]
    /// The same folders.
    public var emptied: Set<String> { Set(away.keys) }
    /// Folders that may not be read; what was in them is kept.
    public internal(set) var unreadable: Set<String> = []
    /// Folders that are another one by another name, with that; their files count once.
    public internal(set) var twins: [String: String] = [:]
    /// What lies in the folders and is not read, though it may be meant for it, with what is to be said of it.
    public internal(set) var passedOver: [String: String] = [:]

    /// How many files lie in none of the folders any more, and are kept while one of these is not there.
    var misplaced = 0

    /// As an agent finds them that has done nothing yet.
    package init(as survey: MarkSurvey, _ standing: RootsOnDisk, in roots: MarkRoots, passedOver: [String: String]) {
        away = Dictionary(survey.emptied.map { ($0.root, $0.files.count) }) { first, _ in first }
        unreadable = survey.unread
        self.passedOver = passedOver
        missing = Set(roots.folders.filter { !standing.has($0) }).subtracting(roots.optional).subtracting(emptied).subtracting(unreadable)
    }

    init() {}

    /// What befell those whose files are kept in mind as they were, for people.
    package var troubles: [Setback] {
        let emptied = away.sorted { $0.key < $1.key }.map { folder, count in
            Setback(
                folder,
                "is missing \(count == 1 ? "1 mark file" : "\(count) mark files"), all that were there; their marks are kept. "
                    + "If they are gone for good, run: woodshed accept --gone '\(folder)'")
        }
        let unreadable = unreadable.sorted().map {
            Setback($0, "cannot be read; what is known about its files is kept")
        }
        return emptied + unreadable + passedOver.sorted { $0.key < $1.key }.map(Setback.init)
    }
}
