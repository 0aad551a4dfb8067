public import Model

extension Library {
    /// Every file of the user's that is known, in the order of their paths.
    public func localFiles() throws(LibraryError) -> [LocalFile] {
        try localFiles(where: "TRUE", [])
    }

    /// What is known of the file at `path`.
    public func localFile(at path: String) throws(LibraryError) -> LocalFile? {
        try localFiles(where: "path = ?", [.text(path)]).first
    }

    /// The files that are for an attachment, in the order of their paths.
    public func localFiles(of attachment: AttachmentID) throws(LibraryError) -> [LocalFile] {
        try localFiles(where: "attachment_id = ?", [.id(attachment)])
    }

    /// What the files that are for no chart that is known say they were made on, as far as they were ever understood.
    public func unmatchedReferences() throws(LibraryError) -> [(path: String, reference: MarkFile.Reference)] {
        try database.rows(
            """
            SELECT path, said_attachment, said_chart, said_pdf FROM local_files
            WHERE attachment_id IS NULL AND marks IS NOT NULL ORDER BY path
            """
        ) { row throws(LibraryError) in
            (row.text(0), try reference(row, from: 1))
        }
    }

    /// The known files as they were when they were last read, in the order of their paths: without their marks, which cost much
    /// more to read.
    public func localFileStamps() throws(LibraryError) -> FileStamps {
        var files = FileStamps()
        _ = try database.rows("SELECT path, device, inode, size, modified FROM local_files ORDER BY path") { row in
            row.withText(0) { files.append($0, Self.stamp(row, from: 1)) }
        }
        return files
    }

    /// What the user's files draw on the chart of an attachment, hidden ones among them, in the order of their paths.
    public func localLayers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        try localFiles(of: attachment).compactMap(\.layer)
    }

    /// Remembers files as they were read, all of them or, when it throws, none. Writes nothing where nothing is different;
    /// returns whether anything was.
    ///
    /// A file stays as old as it was when it was first seen, also when it was gone for a while. Where it does not say
    /// which bytes it was marked on, what is known of that stays.
    @discardableResult
    public func store(_ files: [LocalFile]) throws(LibraryError) -> Bool {
        guard !files.isEmpty else { return false }
        // JSON takes its time, and nobody has to wait for the lock meanwhile.
        var rows: [[SQLValue]] = []
        for file in files { rows.append(try values(of: file)) }
        return try database.write { () throws(LibraryError) in
            var changes = 0
            for row in rows { changes += try database.run(Self.storing, row) }
            if changes > 0 {
                try database.run("DELETE FROM former_files WHERE EXISTS (SELECT 1 FROM local_files WHERE path = former_files.path)")
            }
            return changes > 0
        }
    }

    /// Forgets files that the user deleted. The charts that they were for stay a while longer, for they may come back.
    public func forget(localFiles paths: [String]) throws(LibraryError) {
        guard !paths.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for path in paths { try Self.forget(localFile: path, in: database) }
        }
    }

    nonisolated static func forget(localFile path: String, in database: Database) throws(LibraryError) {
        try database.run(
            """
            INSERT OR REPLACE INTO former_files (path, first_seen, attachment_id)
            SELECT path, first_seen, attachment_id FROM local_files WHERE path = ?
            """, [.text(path)])
        try database.run("DELETE FROM local_files WHERE path = ?", [.text(path)])
    }

    /// A file that drew nothing before, or on another chart, has no marks on an older one.
    private static let storing = """
        INSERT INTO local_files (
            path, device, inode, size, modified, first_seen, attachment_id, marked_on, name, said_attachment, said_chart, said_pdf,
            other_pages, notes, marks, fault)
        VALUES (?1, ?2, ?3, ?4, ?5, coalesce((SELECT first_seen FROM former_files WHERE path = ?1), ?6),
            ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
        ON CONFLICT (path) DO UPDATE SET
            device = excluded.device, inode = excluded.inode, size = excluded.size, modified = excluded.modified,
            attachment_id = excluded.attachment_id, name = excluded.name, said_attachment = excluded.said_attachment,
            said_chart = excluded.said_chart, said_pdf = excluded.said_pdf, other_pages = excluded.other_pages,
            notes = excluded.notes, marks = excluded.marks, fault = excluded.fault,
            marked_on = CASE
                WHEN excluded.marked_on IS NULL AND attachment_id IS excluded.attachment_id AND coalesce(marks, '[]') <> '[]'
                THEN marked_on ELSE excluded.marked_on END,
            accepted_on = CASE
                WHEN attachment_id IS excluded.attachment_id AND coalesce(marks, '[]') <> '[]' THEN accepted_on END
        WHERE (device, inode, size, modified, attachment_id, coalesce(excluded.marked_on, marked_on), name, said_attachment, said_chart,
                said_pdf, other_pages, notes, marks, fault)
            IS NOT (excluded.device, excluded.inode, excluded.size, excluded.modified, excluded.attachment_id, marked_on, excluded.name,
                excluded.said_attachment, excluded.said_chart, excluded.said_pdf, excluded.other_pages, excluded.notes,
                excluded.marks, excluded.fault)
        """

    private func values(of file: LocalFile) throws(LibraryError) -> [SQLValue] {
        var values: [SQLValue] = [
            .text(file.path), .integer(Int64(bitPattern: file.stamp.device)), .integer(Int64(bitPattern: file.stamp.inode)),
            .integer(file.stamp.size), .integer(file.stamp.modified), .time(file.firstSeen), .optional(file.attachment?.text),
            .optional(file.markedOn?.digest.hex),
        ]
        if let content = file.content {
            let said = content.reference
            values += [
                .optional(content.name), .optional(said.attachment?.text), .optional(said.chart?.digest.hex), .optional(said.pdf),
                .integer(content.otherPages), .text(try StoredJSON.write(content.notes, in: database)),
                .text(try MarksText.write(content.marks, of: file.layerID)),
            ]
        } else {
            values += [SQLValue](repeating: .null, count: 7)
        }
        return values + [.optional(file.fault)]
    }

    private func localFiles(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [LocalFile] {
        try database.rows(
            """
            SELECT path, device, inode, size, modified, first_seen, attachment_id, marked_on, fault,
                name, said_attachment, said_chart, said_pdf, other_pages, notes, marks
            FROM local_files WHERE \(condition) ORDER BY path
            """, values
        ) { row throws(LibraryError) in
            var file = LocalFile(
                path: row.text(0), stamp: Self.stamp(row, from: 1), firstSeen: row.time(5) ?? Timestamp(nanoseconds: 0),
                attachment: row.optionalText(6).map { AttachmentID($0) }, markedOn: try chart(row, 7), fault: row.optionalText(8))
            if let marks = row.optionalText(15) {
                file.content = MarkFile(
                    name: row.optionalText(9),
                    reference: try reference(row, from: 10),
                    marks: try MarksText.read(marks, of: file.layerID), otherPages: row.integer(13),
                    notes: try StoredJSON.read([String].self, row.text(14), in: database))
            }
            return file
        }
    }

    nonisolated static func stamp(_ row: borrowing Row, from column: Int32) -> FileStamp {
        FileStamp(
            device: UInt64(bitPattern: Int64(row.integer(column))), inode: UInt64(bitPattern: Int64(row.integer(column + 1))),
            size: row.integer(column + 2), modified: Int64(row.integer(column + 3)))
    }

    private func reference(_ row: borrowing Row, from column: Int32) throws(LibraryError) -> MarkFile.Reference {
        MarkFile.Reference(
            attachment: row.optionalText(column).map { AttachmentID($0) }, chart: try chart(row, column + 1),
            pdf: row.optionalText(column + 2))
    }

    private func chart(_ row: borrowing Row, _ column: Int32) throws(LibraryError) -> ChartHash? {
        guard let hex = row.optionalText(column) else { return nil }
        return try hash(hex)
    }
}
