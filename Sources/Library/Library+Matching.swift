import Glibc
import Model
import Platform

extension Library {
    /// What tells which chart a file of marks is for, as the library is now.
    public func markFileIndex() throws(LibraryError) -> MarkFileIndex {
        if let keptMarkFileIndex { return keptMarkFileIndex }
        let index = try database.read { () throws(LibraryError) in
            let attachments = try database.rows("SELECT id FROM attachments") { AttachmentID($0.text(0)) }
            let charts = try database.rows("SELECT DISTINCT attachment_id, hash FROM attachment_charts") { row throws(LibraryError) in
                (attachment: AttachmentID(row.text(0)), hash: try hash(row.text(1)))
            }
            let former = try database.rows("SELECT attachment_id, hash FROM former_charts") { row throws(LibraryError) in
                (attachment: AttachmentID(row.text(0)), hash: try hash(row.text(1)))
            }
            let folder = linkedChartsFolder
            return MarkFileIndex(
                attachments: Set(attachments), links: try recordedLinks(), charts: charts,
                formerCharts: former, chartsFolders: [folder] + (Self.followingLinks(folder).map { $0 == folder ? [] : [$0] } ?? []))
        }
        if !isForReading { keptMarkFileIndex = index }
        return index
    }

    /// The paths of PDFs, folded, that the user's files name, with the attachments that those files are for: a link to another chart
    /// there would give their marks to that.
    func pathsNamedByLocalFiles() throws(LibraryError) -> [String: AttachmentID] {
        let named = try database.rows(
            "SELECT path, said_pdf, attachment_id FROM local_files WHERE said_pdf IS NOT NULL AND attachment_id IS NOT NULL ORDER BY path"
        ) { row in
            (FileName.folded(MarkFileIndex.joined(Folder.parent(of: row.text(0)), row.text(1))), AttachmentID(row.text(2)))
        }
        return Dictionary(named) { first, _ in first }
    }

    /// Where a path leads when every link on it is followed; `nil` where that is nothing.
    public nonisolated static func followingLinks(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}
