/// Which of the mark files for one chart are copies. If a "(copy)", a sync conflict or a "Save As" left a second file next
/// to the first, everything would be drawn twice.
///
/// A copy is recognised by its marks, whatever it is called. Two files with different marks are not copies: both are drawn.
public struct MarkCopies: Hashable, Sendable {
    /// A file, with what matters here.
    public struct File: Sendable {
        public let path: String
        public let modified: Int64
        /// The marks that it draws.
        public let sums: MarkSums
        /// Whether somebody wants to see it, copy or not.
        public let isChosen: Bool

        /// Describes a file.
        public init(path: String, modified: Int64, sums: MarkSums, isChosen: Bool) {
            self.path = path
            self.modified = modified
            self.sums = sums
            self.isChosen = isChosen
        }
    }

    /// A copy, which is left out.
    public struct Copy: Hashable, Sendable {
        public let path: String
        /// The newer file, which is drawn.
        public let other: String
        /// How many marks only the copy has: nobody sees them.
        public let ownMarks: Int

        /// Describes a copy.
        public init(path: String, other: String, ownMarks: Int) {
            self.path = path
            self.other = other
            self.ownMarks = ownMarks
        }
    }

    /// The files that are left out.
    public private(set) var copies: [Copy] = []

    /// Finds the copies among the files of one chart that are not hidden. Of files that are alike the newest is drawn.
    public init(_ files: [File]) {
        var drawn: [File] = []
        for file in files.sorted(by: Self.isPreferred) where !file.sums.isEmpty {
            let copy = file.isChosen ? nil : drawn.lazy.prefix(Self.mostCompared).compactMap { Self.copy(file, of: $0) }.first
            if let copy { copies.append(copy) } else { drawn.append(file) }
        }
    }

    /// More than anybody's number of files for one chart that are alike.
    private static let mostCompared = 64

    /// Whether one file is drawn rather than another that is like it: the newer one or, if they are equally old, the one with the shorter
    /// name, since copies have something added.
    private static func isPreferred(_ one: File, to other: File) -> Bool {
        if one.modified != other.modified { return one.modified > other.modified }
        let (left, right) = (one.path.utf8.count, other.path.utf8.count)
        return left == right ? one.path.precedesByBytes(other.path) : left < right
    }

    /// Two files are alike if they share at least half of the marks of the smaller one.
    private static func copy(_ file: File, of other: File) -> Copy? {
        let own = file.sums.subtracting(other.sums).count
        let shared = file.sums.count - own
        guard shared > 0, shared * 2 >= min(file.sums.count, other.sums.count) else { return nil }
        return Copy(path: file.path, other: other.path, ownMarks: own)
    }
}
