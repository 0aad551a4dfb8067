public import Model

/// A file in a folder of sets that may be a chart.
public struct SetFile: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case pdf
        /// Words and chords as text. Some texts turn out not to be a song only when they are read.
        case song
        /// A photograph or another picture of one page.
        case picture
    }

    public let path: String
    public let kind: Kind
    public let stamp: FileStamp

    public init(path: String, kind: Kind, stamp: FileStamp) { (self.path, self.kind, self.stamp) = (path, kind, stamp) }

    /// The kind of the file with this name; `nil` if files with such names are no charts.
    public static func kind(ofName name: String) -> Kind? {
        if name.lowercased().hasSuffix(".pdf") { return .pdf }
        if Attachment.isSong(named: name) { return .song }
        return Attachment.isPicture(named: name) ? .picture : nil
    }

    /// Whether a program that syncs files gave this name to the second version of a file that two devices changed at once: Syncthing, as in
    /// `Grace.sync-conflict-20261127-101500-ABCDEFG.pdf`, or Nextcloud and Dropbox, as in `Grace (conflicted copy 2026-11-27 101500).pdf`.
    public static func isSecondVersion(named name: String) -> Bool {
        let name = name.lowercased()
        return [".sync-conflict-", "conflicted copy"].contains(where: name.contains)
    }

    /// Whether only the contents of the file can show that it is a song.
    public var mayBeNoSong: Bool { kind == .song && !Attachment.isChordPro(named: name) }

    public var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }
}

/// The number by which a disk knows a folder or a list, whatever its name. After its removal, something new may get the same number.
public struct DiskNumber: Hashable, Sendable {
    /// The number of the disk, which may change when the machine restarts.
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
}

/// A folder, or a list of songs, whose name begins with a date.
public struct FoundSet: Hashable, Sendable {
    /// What is played, in the order in which it is played.
    public enum Contents: Hashable, Sendable {
        /// The files of a folder. The files of one item are the charts of one song.
        case items([[SetFile]])
        case list(SetList)
    }

    public let path: String
    public let name: SetName
    /// `nil` if it is in no folder.
    public let number: DiskNumber?
    public let contents: Contents

    public init(path: String, name: SetName, number: DiskNumber? = nil, _ contents: Contents) {
        (self.path, self.name, self.number, self.contents) = (path, name, number, contents)
    }

    /// The set of a folder with these files, and with further charts of the same songs in the folders below it.
    public init(path: String, name: SetName, number: DiskNumber? = nil, files: [SetFile], folders: [(name: String, files: [SetFile])]) {
        var items = Dictionary(grouping: files) { SongTitle.withoutEnding($0.name) }
        for folder in folders { items[folder.name, default: []] += folder.files }
        let ordered = items.sorted { precedesAsCounted($0.key, $1.key) }
            .map { $0.value.sorted { precedesAsCounted($0.name, $1.name) } }
        self.init(path: path, name: name, number: number, .items(ordered))
    }

    public var files: [SetFile] { if case .items(let items) = contents { items.flatMap(\.self) } else { [] } }
}

/// A set as an earlier look found it.
public struct KnownSet: Hashable, Sendable {
    public let plan: PlanID
    /// `nil` if it is not known on which disk it was.
    public let number: DiskNumber?

    public init(plan: PlanID, number: DiskNumber?) { (self.plan, self.number) = (plan, number) }
}

/// What lies in the folders of sets.
public struct FoundSets: Hashable, Sendable {
    /// Something that is not used, and why.
    public struct Other: Hashable, Sendable {
        public let path: String
        /// Words that can follow a colon.
        public let reason: String

        public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

        /// Whether the name is that of a chart. A name with .txt does not count, since such a text may also be a list or a read-me.
        public var isCalledChart: Bool {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return SetFile.kind(ofName: name) != nil && !SetFile.isSecondVersion(named: name) && !name.lowercased().hasSuffix(".txt")
        }
    }

    /// A table that may list the songs in the PDFs beside it.
    public struct Index: Hashable, Sendable {
        public let path: String
        public let pdfs: [SetFile]

        public init(path: String, pdfs: [SetFile]) { (self.path, self.pdfs) = (path, pdfs) }
    }

    public var sets: [FoundSet] = []
    public var indexes: [Index] = []
    /// The charts in folders that are no sets, and those beside the sets.
    public var book: [SetFile] = []
    public var others: [Other] = []
    /// The folders of the configuration that cannot be read, with the reasons.
    public var away: [Other] = []
    /// The empty folders that are not sets, as where a disk is not mounted.
    public var empty: [String] = []

    public init() {}

    /// All files.
    public var files: [SetFile] { book + sets.flatMap(\.files) }

    /// Whether a missing file may come back, since its folder is empty or cannot be read.
    public func isAway(_ path: String) -> Bool {
        (away.map(\.path) + empty).contains { path.utf8.starts(with: ($0 + "/").utf8) }
    }
}
