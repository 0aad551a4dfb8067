public import Catalogue
public import Model

/// How a file of the user's marks stands, without its marks, which cost much more to read.
public struct MarkFileState: Hashable, Sendable {
    public let path: String
    /// The file as it was when it was read last.
    public let stamp: FileStamp
    public let attachment: AttachmentID?
    /// Why it could not be understood the last time.
    public let fault: String?
    /// Whether it was ever understood.
    public let hasContent: Bool
    /// What was not understood when it last was, and is not drawn or not as it was made: a sentence each.
    public let notes: [String]
}

extension MarkFileStore {
    /// How every file of the user's marks that is known stands, in the order of their paths.
    public func states() throws(LibraryError) -> [MarkFileState] {
        let others = try otherSizes()
        return try database.rows(
            """
            SELECT path, device, inode, size, modified, changed, attachment_id, fault, marks IS NOT NULL, nullif(notes, '[]') FROM local_files
            ORDER BY path
            """
        ) { row throws(LibraryError) in
            let notes = try row.optionalText(9).map { text throws(LibraryError) in try StoredJSON.read([String].self, text, in: database) }
            return MarkFileState(
                path: row.text(0),
                stamp: row.stamp(from: 1), attachment: row.optionalText(6).map { AttachmentID($0) }, fault: row.optionalText(7),
                hasContent: row.integer(8) != 0,
                notes: (notes ?? []) + (others[row.text(0)].map { [$0] } ?? []))
        }
    }

    /// What in the files for the chart of an attachment is not drawn as it was made: of each that has such, a sentence each.
    public func notesOfMarks(on attachment: AttachmentID) throws(LibraryError) -> [(path: String, notes: [String])] {
        try states().filter { $0.attachment == attachment && !$0.notes.isEmpty }.map { ($0.path, $0.notes) }
    }

    /// Of files with marks made on pages of another size than the chart's, what is to be said of that.
    private func otherSizes() throws(LibraryError) -> [String: String] {
        struct Difference {
            let page: PageIndex
            let sheet: PageGeometry
            let chart: PageGeometry
        }
        // Programs round to whole points; nobody sees less.
        let found = try database.rows(
            """
            SELECT local_files.path, page, sheet.value ->> 1 AS sheet_width, sheet.value ->> 2 AS sheet_height, width, height
            FROM local_files, json_each(local_files.sheets) AS sheet
            JOIN chart_pages ON chart_pages.hash = (\(ChartStore.measuredChart(of: "local_files.attachment_id"))) AND page = sheet.value ->> 0
            WHERE sheets IS NOT NULL AND (abs(sheet_width - width) > 1 OR abs(sheet_height - height) > 1) ORDER BY local_files.path, page
            """
        ) { row in
            (
                path: row.text(0),
                Difference(
                    page: PageIndex(row.integer(1)), sheet: PageGeometry(width: row.real(2), height: row.real(3)),
                    chart: PageGeometry(width: row.real(4), height: row.real(5)))
            )
        }
        return Dictionary(grouping: found, by: \.path).compactMapValues { differences in
            guard let first = differences.first?.1 else { return nil }
            func size(_ page: PageGeometry) -> String { "\(Int(page.width.rounded())) × \(Int(page.height.rounded()))" }
            return "marks made on a page of another size placed on the chart's page from the top left, at their original size: "
                + "\(differences.count == 1 ? "" : "\(differences.count) pages, first ")\(first.page) "
                + "(\(size(first.sheet)) points there, \(size(first.chart)) here)"
        }
    }
}
