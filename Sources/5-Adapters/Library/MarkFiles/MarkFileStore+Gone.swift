public import Catalogue
import Glibc
public import Model

extension MarkFileStore {
    /// Forgets the known files below `folder` that are not there, or `isOutside` says are read no more, even while another process writes
    /// to the library of `library`. A file that comes back is read as it is then; so is one that went back to an older state. What is
    /// forgotten stays in the history.
    ///
    /// Files that may or may not be there, as in a folder that we have no permission for, count as being there.
    public nonisolated static func letGo(
        ofFilesBelow folder: String, inLibraryAt library: String, at now: Timestamp, isOutside: (String) -> Bool = { _ in false }
    ) throws(LibraryError) -> FilesLetGo {
        let range = folder == "/" ? ("/", "0") : (folder + "/", folder + "0")
        let known = try Database.read(libraryAt: library) { database throws(LibraryError) in
            try database.rows(
                "SELECT \(stampColumns), went_back FROM local_files WHERE path >= ? AND path < ? ORDER BY path",
                [.text(range.0), .text(range.1)]
            ) {
                row in (path: row.text(0), stamp: row.stamp(from: 1), wentBack: row.integer(6) != 0)
            }
        }
        // Not while the library is locked: a disk that is away may keep us waiting.
        let gone = known.filter { $0.wentBack || !mayBeThere($0.path) || isOutside($0.path) }
        guard !gone.isEmpty else { return FilesLetGo(count: 0, charts: [], kept: known.count) }
        return try Database.change(libraryAt: library) { database throws(LibraryError) in
            var marks: [AttachmentID: Int] = [:]
            var (count, older) = (0, 0)
            for (path, stamp, wentBack) in gone {
                // The process that writes to the library may have read it again meanwhile.
                let file = try database.row(
                    "SELECT \(stampColumns), attachment_id, json_array_length(coalesce(marks, '[]')) FROM local_files WHERE path = ?",
                    [.text(path)]
                ) { row in (stamp: row.stamp(from: 1), attachment: row.optionalText(6), marks: row.integer(7)) }
                guard let file, file.stamp == stamp else { continue }
                if let all = try sums(of: path, in: database), !all.isEmpty {
                    try keep(path, all, vanished: all.count, isAccepted: true, at: now, in: database)
                }
                try forget(localFile: path, in: database)
                if wentBack {
                    older += 1
                    continue
                }
                try endChoices(forFile: path, in: database)
                count += 1
                if let attachment = file.attachment, file.marks > 0 { marks[AttachmentID(attachment), default: 0] += file.marks }
            }
            var charts: [FilesLetGo.Chart] = []
            for (attachment, count) in marks.sorted(by: { $0.key < $1.key }) {
                let filename = try database.row("SELECT filename FROM attachments WHERE id = ?", [.id(attachment)]) { $0.text(0) }
                charts.append(FilesLetGo.Chart(attachment: attachment, filename: filename ?? attachment.text, marks: count))
            }
            return FilesLetGo(count: count, charts: charts, kept: known.count - count - older, older: older)
        }
    }

    private nonisolated static var stampColumns: String { "path, device, inode, size, modified, changed" }

    /// Whether a file is there, as far as can be seen.
    package nonisolated static func mayBeThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }
}
