public import Catalogue
public import Model

extension MarkFileStore {
    /// The known files that were this one when they were last read, by number and size: one that is not there any more has
    /// become it.
    public func localFilePaths(like stamp: FileStamp) throws(LibraryError) -> [String] {
        try database.rows(
            "SELECT path FROM local_files WHERE inode = ? AND device = ? AND size = ? ORDER BY path",
            [.integer(Int64(bitPattern: stamp.inode)), .integer(Int64(bitPattern: stamp.device)), .integer(stamp.size)]
        ) { $0.text(0) }
    }

    nonisolated static func forget(localFile path: String, in database: Database) throws(LibraryError) {
        let marks = try database.row("SELECT marks FROM local_files WHERE path = ?", [.text(path)]) { $0.optionalText(0) } ?? nil
        try database.run(
            """
            INSERT OR REPLACE INTO former_files (
                path, first_seen, attachment_id, marked_on, accepted_on, device, inode, size, marks_sum, said_pdf)
            SELECT path, first_seen, attachment_id, CASE WHEN ?2 IS NOT NULL THEN marked_on END,
                CASE WHEN ?2 IS NOT NULL THEN accepted_on END, device, inode, size, ?2, said_pdf
            FROM local_files WHERE path = ?1
            """, [.text(path), .optional(marks.flatMap(marksSum))])
        try database.run("DELETE FROM local_files WHERE path = ?", [.text(path)])
        try database.run("DELETE FROM mark_sums WHERE path = ?", [.text(path)])
    }

    /// Has a file that is new take over what is known of the one that it was: of its own path, else of the same number and
    /// size, else with the same marks for the same chart. A layer that was hidden stays so under its new name, and if it is back under
    /// its own; what is another file there is seen.
    nonisolated static func takeOver(by file: LocalFile, marks: String?, in database: Database) throws(LibraryError) {
        func isThere(_ table: String) throws(LibraryError) -> Bool {
            try database.row("SELECT 1 FROM \(table) WHERE path = ?", [.text(file.path)]) { _ in true } ?? false
        }
        guard try !isThere("local_files") else { return }
        let sum = marks.flatMap(marksSum)
        guard try !isThere("former_files") else { return try endChoices(for: file, sum: sum, in: database) }
        let former = try database.row(
            """
            SELECT path FROM former_files
            WHERE inode = ?1 AND inode <> 0 AND device = ?2 AND size = ?3 OR marks_sum = ?4 AND attachment_id IS ?5
            ORDER BY inode IS NOT ?1 OR device IS NOT ?2 OR size IS NOT ?3, path LIMIT 1
            """,
            [
                .integer(Int64(bitPattern: file.stamp.inode)), .integer(Int64(bitPattern: file.stamp.device)),
                .integer(file.stamp.size), .optional(sum), .optional(file.attachment?.text),
            ]
        ) { $0.text(0) }
        guard let former else { return }
        try database.run("UPDATE former_files SET path = ? WHERE path = ?", [.text(file.path), .text(former)])
        for table in ["hidden_layers", "shown_layers"] {
            try database.run(
                "UPDATE OR REPLACE \(table) SET layer_id = ? WHERE layer_id = ?", [.id(file.layerID), .text("file:" + former)])
        }
    }

    /// Lets go of what was said of a former file whose path another one has now: whoever hid that has said nothing of this one. One that
    /// is the same by number and size, or by its marks, is back.
    private nonisolated static func endChoices(for file: LocalFile, sum: String?, in database: Database) throws(LibraryError) {
        let isSame = try database.row(
            """
            SELECT 1 FROM former_files
            WHERE path = ?1 AND (inode = ?2 AND inode <> 0 AND device = ?3 AND size = ?4 OR marks_sum IS NOT NULL AND marks_sum = ?5)
            """,
            [
                .text(file.path), .integer(Int64(bitPattern: file.stamp.inode)), .integer(Int64(bitPattern: file.stamp.device)),
                .integer(file.stamp.size), .optional(sum),
            ]
        ) { _ in true }
        if isSame == nil { try endChoices(forFile: file.path, in: database) }
    }

    /// Lets go of what was said of the file at a path: whether it is to be seen.
    nonisolated static func endChoices(forFile path: String, in database: Database) throws(LibraryError) {
        for table in ["hidden_layers", "shown_layers"] {
            try database.run("DELETE FROM \(table) WHERE layer_id = ?", [.id(LocalFile.layerID(ofFile: path))])
        }
    }

    nonisolated static func hasFormerFiles(_ database: Database) throws(LibraryError) -> Bool {
        try database.row("SELECT 1 FROM former_files LIMIT 1") { _ in true } ?? false
    }

    /// Equal marks are equal text; those of a file without any say nothing about it.
    private nonisolated static func marksSum(_ marks: String) -> String? {
        marks == "[]" ? nil : SHA256.digest(of: marks).hex
    }
}
