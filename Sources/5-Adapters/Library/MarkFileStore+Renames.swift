public import Catalogue
public import Model

/// Records of files that are gone, for files that come back or turn up under another name.
extension MarkFileStore {
    /// The known files that had this inode number and size when last read: if one of them is missing now, it was renamed to the
    /// file with this stamp.
    public func localFilePaths(like stamp: FileStamp) throws(LibraryError) -> [String] {
        try database.rows(
            "SELECT path FROM local_files WHERE device = ? AND inode = ? AND size = ? ORDER BY path", stamp.identity
        ) { $0.text(0) }
    }

    func forget(localFile path: String) throws(LibraryError) {
        let marks = try database.row("SELECT marks FROM local_files WHERE path = ?", [.text(path)]) { $0.optionalText(0) } ?? nil
        try database.run(
            """
            INSERT OR REPLACE INTO former_files (
                path, first_seen, attachment_id, marked_on, accepted_on, device, inode, size, marks_sum, said_pdf)
            SELECT path, first_seen, attachment_id, CASE WHEN ?2 IS NOT NULL THEN marked_on END,
                CASE WHEN ?2 IS NOT NULL THEN accepted_on END, device, inode, size, ?2, said_pdf
            FROM local_files WHERE path = ?1
            """, [.text(path), .optional(marks.flatMap(Self.marksSum))])
        try parts.forget(path)
        try database.run("DELETE FROM local_files WHERE path = ?", [.text(path)])
        try database.run("DELETE FROM mark_sums WHERE path = ?", [.text(path)])
    }

    /// Lets a new file inherit the record of the former file with the same path, or else with the same inode number and size, or
    /// else with the same marks for the same chart. The choice to hide or show a file passes to its new name, and stays if the
    /// file comes back under its own name. If a different file has that name now, the choice is deleted.
    func passHistory(to file: LocalFile, marks: String?) throws(LibraryError) {
        func isThere(_ table: String) throws(LibraryError) -> Bool {
            try database.has("SELECT 1 FROM \(table) WHERE path = ?", [.text(file.path)])
        }
        guard try !isThere("local_files") else { return }
        let sum = marks.flatMap(Self.marksSum)
        guard try !isThere("former_files") else { return try endChoices(for: file, sum: sum) }
        let former = try database.row(
            """
            SELECT path FROM former_files
            WHERE device = ?1 AND inode = ?2 AND inode <> 0 AND size = ?3 OR marks_sum = ?4 AND attachment_id IS ?5
            ORDER BY device IS NOT ?1 OR inode IS NOT ?2 OR size IS NOT ?3, path LIMIT 1
            """, file.stamp.identity + [.optional(sum), .optional(file.attachment?.text)]
        ) { $0.text(0) }
        guard let former else { return }
        try database.run("UPDATE former_files SET path = ? WHERE path = ?", [.text(file.path), .text(former)])
        for table in ["hidden_layers", "shown_layers", "followed_layers"] {
            try database.run(
                "UPDATE OR REPLACE \(table) SET layer_id = ? WHERE layer_id = ?", [.id(file.layerID), .text(LayerID.ofFile + former)])
        }
    }

    /// Deletes the choices made about a former file if a different file has its path now, since a choice about the former file was
    /// not meant for the new one. If the inode number and size, or the marks, are the same, the file has come back and the choices
    /// stay.
    private func endChoices(for file: LocalFile, sum: String?) throws(LibraryError) {
        let isSame = try database.has(
            """
            SELECT 1 FROM former_files
            WHERE path = ?1 AND (device = ?2 AND inode = ?3 AND inode <> 0 AND size = ?4 OR marks_sum IS NOT NULL AND marks_sum = ?5)
            """, [.text(file.path)] + file.stamp.identity + [.optional(sum)])
        if !isSame { try endChoices(forFile: file.path) }
    }

    /// Deletes the choice to hide or show the file at a path.
    func endChoices(forFile path: String) throws(LibraryError) {
        for table in ["hidden_layers", "shown_layers", "followed_layers"] {
            try database.run("DELETE FROM \(table) WHERE layer_id = ?", [.id(LocalFile.layerID(ofFile: path))])
        }
    }

    var hasFormerFiles: Bool { get throws(LibraryError) { try database.has("SELECT 1 FROM former_files LIMIT 1") } }

    /// A sum by which a file is recognised by its marks, since equal marks are equal text. `nil` for a file without marks, which
    /// cannot be recognised in this way.
    private static func marksSum(_ marks: String) -> String? { marks == "[]" ? nil : SHA256.digest(of: marks).hex }
}
