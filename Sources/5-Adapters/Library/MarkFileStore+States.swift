public import Catalogue
public import Model

extension MarkFileStore {
    /// The state of each of the user's known mark files, ordered by path.
    public func states() throws(LibraryError) -> [MarkFileState] {
        let others = try otherSizes()
        return try database.rows(
            """
            SELECT path, device, inode, size, modified, changed, attachment_id, fault, marks IS NOT NULL, nullif(notes, '[]')
            FROM local_files ORDER BY path
            """
        ) { row throws(LibraryError) in
            let notes = try row.optionalText(9).map { text throws(LibraryError) in try StoredJSON.read([String].self, text, in: database) }
            return MarkFileState(
                path: row.text(0), stamp: row.stamp(from: 1), attachment: row.optionalText(6).map { AttachmentID($0) },
                fault: row.optionalText(7), hasContent: row.integer(8) != 0,
                notes: (notes ?? []) + (others[Array(row.text(0).utf8)].map { [$0] } ?? []))
        }
    }

    /// The files with marks that are not drawn on an attachment's chart as they were made, each with the sentences about these marks.
    public func notesOfMarks(on attachment: AttachmentID) throws(LibraryError) -> [(path: String, notes: [String])] {
        try states().filter { $0.attachment == attachment && !$0.notes.isEmpty }.map { ($0.path, $0.notes) }
    }

    /// Sentences about files whose marks were made on pages of another size than the chart's, keyed by the bytes of the files' paths.
    private func otherSizes() throws(LibraryError) -> [[UInt8]: String] {
        func size(_ width: Double, _ height: Double) -> String { "\(Int(width.rounded())) × \(Int(height.rounded()))" }
        // Programs round to whole points; such small differences are invisible. With `min`, SQLite returns the row that has the minimum.
        return try database.dictionary(
            """
            SELECT local_files.path, count(*), min(page), sheet.value ->> 1 AS sheet_width, sheet.value ->> 2 AS sheet_height, width, height
            FROM local_files, json_each(local_files.sheets) AS sheet
            JOIN chart_pages ON chart_pages.hash = (\(ChartStore.measuredChart(of: "local_files.attachment_id"))) AND page = sheet.value ->> 0
            WHERE sheets IS NOT NULL AND (abs(sheet_width - width) > 1 OR abs(sheet_height - height) > 1) GROUP BY local_files.path
            """
        ) { row in
            let count = row.integer(1)
            let words =
                "these marks were drawn on a page of another size, so they may be out of place: "
                + "\(count == 1 ? "" : "\(count) pages, first ")\(PageIndex(row.integer(2))) "
                + "(\(size(row.real(3), row.real(4))) points there, \(size(row.real(5), row.real(6))) here)"
            return (Array(row.text(0).utf8), words)
        }
    }
}
