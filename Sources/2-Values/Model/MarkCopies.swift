/// Finds out which of the mark files for one chart are copies. Otherwise a second file, from a "(copy)", a sync conflict or "Save
/// As", would draw everything twice.
///
/// A copy is recognised by its marks, regardless of its name. Files with different marks are not copies, and are both drawn.
public struct MarkCopies: Hashable, Sendable {
    /// A file, with the facts that decide whether it counts as a copy.
    public struct File: Sendable {
        public let path: String
        public let save: ObservedSave
        /// The marks that the file draws.
        public let sums: MarkSums
        /// Whether the user wants the file to be drawn even if it is a copy.
        public let isChosen: Bool

        public init(path: String, save: ObservedSave, sums: MarkSums, isChosen: Bool) {
            (self.path, self.save, self.sums, self.isChosen) = (path, save, sums, isChosen)
        }
    }

    /// A file that is not drawn, because it is a copy.
    public struct Copy: Hashable, Sendable {
        public let path: String
        /// The file that is drawn instead.
        public let other: String
        /// How many marks only the copy has. They are not drawn.
        public let marksOnlyHere: Int

        public init(path: String, other: String, marksOnlyHere: Int) {
            (self.path, self.other, self.marksOnlyHere) = (path, other, marksOnlyHere)
        }
    }

    /// The files that are not drawn.
    public private(set) var copies: [Copy] = []

    /// Finds the copies among the visible files of one chart. Of similar files, a file that has all marks of another is preferred, then the
    /// file that was saved last. A file named like a conflict or a backup is preferred only to other files with such names.
    public init(_ files: [File]) {
        var drawn: [File] = []
        // If the user chooses one more file to be drawn, no other file must disappear because of it.
        let named = files.map { (file: $0, isCalledCopy: Self.isCalledCopy($0.path)) }
        let ranked = named.filter { !$0.file.sums.isEmpty }.map { file, isCalledCopy in
            let isContained = named.prefix(Self.mostCompared).contains { other, otherIsCalledCopy in
                (isCalledCopy || !otherIsCalledCopy) && other.sums.count > file.sums.count
                    && file.sums.subtracting(other.sums).isEmpty
            }
            return (file: file, rank: (isCalledCopy ? 4 : 0) + (isContained ? 2 : 0) + (file.isChosen ? 1 : 0))
        }
        let ordered = ranked.sorted { $0.rank == $1.rank ? Self.isPreferred($0.file, to: $1.file) : $0.rank < $1.rank }.map(\.file)
        for file in ordered {
            let copy = file.isChosen ? nil : drawn.lazy.prefix(Self.mostCompared).compactMap { Self.copy(file, of: $0) }.first
            if let copy { copies.append(copy) } else { drawn.append(file) }
        }
    }

    /// The most files that each file is compared with. Nobody has more similar files for one chart.
    private static let mostCompared = 64

    /// Whether one of two similar files is preferred: the file that was saved later or, if that is unknown, the file with the shorter name,
    /// since the names of copies have something added.
    private static func isPreferred(_ one: File, to other: File) -> Bool {
        if one.save != other.save { return one.save > other.save }
        let (left, right) = (one.path.utf8.count, other.path.utf8.count)
        return left == right ? one.path.precedesByBytes(other.path) : left < right
    }

    /// Words that sync tools and people add to the names of copies.
    private static let copyWords = [
        "conflict", "konflikt", "conflit", "(copy", " copy", "copy of ", "kopie", "copie", "copia", "backup", ".bak", "_bak", "_old",
        ".old",
    ].map { Array($0.utf8) }

    /// Searches byte by byte, which is fast. There may be thousands of files, and each scan of the folder checks them all.
    private static func isCalledCopy(_ path: String) -> Bool {
        let name = path.utf8[(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex)...].map {
            (65...90).contains($0) ? $0 | 0x20 : $0
        }
        return name.indices.contains { start in copyWords.contains { name[start...].starts(with: $0) } }
    }

    /// `file` as a copy of `other`, if they share at least half of the marks of the smaller one; otherwise `nil`.
    private static func copy(_ file: File, of other: File) -> Copy? {
        let own = file.sums.subtracting(other.sums).count
        let shared = file.sums.count - own
        guard shared > 0, shared * 2 >= min(file.sums.count, other.sums.count) else { return nil }
        return Copy(path: file.path, other: other.path, marksOnlyHere: own)
    }
}
