public import Catalogue
import Glibc
public import Model

/// Files that vanished together with all others in their folder, as when a disk is unplugged. Each stays known, with its marks,
/// until it is back or the user confirms that it is gone for good, even if other files appear in the folder meanwhile.
extension MarkFileStore {
    /// The paths of the files that are away.
    public func filesAway() throws(LibraryError) -> Set<String> {
        Set(try database.rows("SELECT path FROM local_files WHERE is_away") { $0.text(0) })
    }

    /// Notes which files are away, and which are `back`. Writes nothing if nothing changed.
    public func note(away: some Sequence<String>, back: some Sequence<String> = []) throws(LibraryError) {
        let former = try filesAway()
        let changes = away.filter { !former.contains($0) }.map { ($0, true) } + back.filter(former.contains).map { ($0, false) }
        guard !changes.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for (path, isAway) in changes {
                try database.run("UPDATE local_files SET is_away = ? WHERE path = ?", [.flag(isAway), .text(path)])
            }
        }
    }

    /// Drops known files that are no longer read: those below `folder`, or at that path, that are missing or for which `isOutside`
    /// returns true. Works even while another process writes to the library of `library`. A file that comes back is read again.
    /// Dropped files stay in the history.
    ///
    /// If it is unclear whether a file exists, as in a folder without permission, it counts as existing. If `isDry`, nothing is
    /// dropped, and the result states what would be dropped.
    public static func letGo(
        ofFilesBelow folder: String, inLibraryAt library: String, at now: Timestamp, isDry: Bool = false,
        isOutside: (String) -> Bool = { _ in false }
    ) throws(LibraryError) -> FilesLetGo {
        let range = range(below: folder)
        let known = try Database.read(libraryAt: library) { database throws(LibraryError) in
            try database.rows(
                "SELECT \(stampColumns) FROM local_files WHERE path >= ? AND path < ? OR path = ? ORDER BY path",
                [.text(range.first), .text(range.end), .text(folder)]
            ) { row in (path: row.text(0), stamp: row.stamp(from: 1)) }
        }
        // Check before locking the library: a disk that is away may delay the check.
        let gone = known.filter { !mayBeThere($0.path) || isOutside($0.path) }
        guard !gone.isEmpty else { return FilesLetGo(count: 0, charts: [], kept: known.count) }
        func letGo(in library: Library) throws(LibraryError) -> FilesLetGo {
            var marks: [AttachmentID: Int] = [:]
            var count = 0
            let reported = try library.markFiles.statesWithLosses()
            // The process that writes to the library may have read these files again in the meantime.
            for file in gone {
                guard let former = try library.markFiles.letGo(of: file.path, as: file.stamp, at: now, isDry: isDry) else { continue }
                count += 1
                if let attachment = former.attachment, former.marks > 0 { marks[attachment, default: 0] += former.marks }
            }
            // Whoever lets a file go knows that its marks are gone, from whichever file they came first.
            if !isDry { try library.markFiles.accept(try library.markFiles.statesWithLosses().subtracting(reported)) }
            let charts = try marks.sorted(by: { $0.key < $1.key }).map { attachment, count throws(LibraryError) in
                let name = try library.charts.chartName(attachment)
                return FilesLetGo.Chart(attachment: attachment, filename: name.isEmpty ? attachment.text : name, marks: count)
            }
            return FilesLetGo(count: count, charts: charts, kept: known.count - count)
        }
        guard isDry else { return try Library.change(in: library, letGo) }
        let library = try Library(readingFrom: library)
        defer { library.close() }
        return try letGo(in: library)
    }

    /// Drops one file; must be called inside a transaction. Returns the file's chart and number of marks; `nil`, and drops
    /// nothing, if the file was read again since.
    private func letGo(
        of path: String, as stamp: FileStamp, at now: Timestamp, isDry: Bool
    ) throws(LibraryError) -> (attachment: AttachmentID?, marks: Int)? {
        let file = try database.row(
            "SELECT \(Self.stampColumns), attachment_id, json_array_length(coalesce(marks, '[]')) FROM local_files WHERE path = ?",
            [.text(path)]
        ) { row in (stamp: row.stamp(from: 1), attachment: row.optionalText(6), marks: row.integer(7)) }
        guard let file, file.stamp == stamp else { return nil }
        if isDry { return (file.attachment.map { AttachmentID($0) }, file.marks) }
        if let all = try sums(of: path), !all.isEmpty { try keep(path, all, vanished: all.count, isAccepted: true, at: now) }
        try forget(localFile: path)
        try endChoices(forFile: path)
        return (file.attachment.map { AttachmentID($0) }, file.marks)
    }

    private nonisolated static var stampColumns: String { "path, device, inode, size, modified, changed" }

    /// Returns whether a file exists, or may exist.
    package nonisolated static func mayBeThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }
}
