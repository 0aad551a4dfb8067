public import Catalogue
public import Model

extension MarkFileStore {
    /// Of each file that went since some time, the state with the most marks that are in none of its chart's files now. Whoever deleted it
    /// may have done so by a slip, and one that vanished may not have been looked for yet.
    ///
    /// A file that only got another name, or went to where its marks are drawn on the same chart, lost nothing.
    public func goneFiles(since time: Timestamp) throws(LibraryError) -> [AttachmentID: [FormerMarks]] {
        let states = try history(
            where: """
                vanished_at >= ? AND attachment_id IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM local_files WHERE local_files.path = former_marks.path)
                """, [.time(time)])
        var found: [AttachmentID: [FormerMarks]] = [:]
        for (attachment, states) in Dictionary(grouping: states, by: \.attachment) {
            guard let attachment = attachment.map({ AttachmentID($0) }) else { continue }
            let present = try sums(ofFilesFor: attachment)
            let lost = states.map { $0.state(besides: present) }.filter { $0.missing > 0 }
            let worst = Dictionary(lost.map { (Array($0.path.utf8), $0) }) { $0.missing < $1.missing ? $1 : $0 }
            if !worst.isEmpty { found[attachment] = worst.values.sorted { $0.path.precedesByBytes($1.path) } }
        }
        return found
    }
}
