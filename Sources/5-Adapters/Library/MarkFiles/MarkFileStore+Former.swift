public import Catalogue
public import Model

extension MarkFileStore {
    /// The known files that were this very file when they were last read, by inode number and size: if one of them is no longer there, it
    /// was renamed to this one.
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

    /// Lets a new file inherit what is known of the file that it used to be: the one with its own path, or else with the same inode number
    /// and size, or else with the same marks for the same chart. A layer that was hidden stays hidden under its new name, and also if it
    /// is back under its own; if it is a different file under that name, it is shown.
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

    /// Forgets the choices made about a former file if a different one has its path now: hiding the former one says nothing about this
    /// one. If number and size, or the marks, are the same, it is the same file again, and its choices stay.
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

    /// Forgets whether the file at a path is to be hidden or shown.
    nonisolated static func endChoices(forFile path: String, in database: Database) throws(LibraryError) {
        for table in ["hidden_layers", "shown_layers"] {
            try database.run("DELETE FROM \(table) WHERE layer_id = ?", [.id(LocalFile.layerID(ofFile: path))])
        }
    }

    nonisolated static func hasFormerFiles(_ database: Database) throws(LibraryError) -> Bool {
        try database.row("SELECT 1 FROM former_files LIMIT 1") { _ in true } ?? false
    }

    /// Equal marks are equal text. Files without marks cannot be recognised by them.
    private nonisolated static func marksSum(_ marks: String) -> String? {
        marks == "[]" ? nil : SHA256.digest(of: marks).hex
    }
}
