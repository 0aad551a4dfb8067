public import Catalogue
public import Model

/// The user's own mark files, in the state of their last reading.
public final class MarkFileStore: Store {
    let charts: ChartStore
    let journal: JournalStore
    let matches: MatchStore
    let parts: PartStore
    let followed: FollowedMarkStore
    /// The highest number given to a scan, or to the events during a scan; `nil` until the first scan.
    private var lastLook: Int?

    init(
        _ catalogue: OpenCatalogue, charts: ChartStore, journal: JournalStore, matches: MatchStore, parts: PartStore,
        followed: FollowedMarkStore
    ) {
        self.charts = charts
        self.followed = followed
        self.journal = journal
        self.matches = matches
        self.parts = parts
        super.init(catalogue)
    }

    /// Each of the user's known files, ordered by path.
    public func all() throws(LibraryError) -> [LocalFile] { try localFiles(where: "TRUE", []) }

    /// The record of the file at `path`.
    public func file(at path: String) throws(LibraryError) -> LocalFile? {
        try localFiles(where: "path = ?", [.text(path)]).first
    }

    /// The record of the file at `path` without the marks, which take much longer to read.
    public func writtenFile(at path: String) throws(LibraryError) -> WrittenFile? {
        try database.row("SELECT \(Self.columns), marks_version FROM local_files WHERE path = ?", [.text(path)]) {
            row throws(LibraryError) in
            let version = row.optionalText(17).map { Digest(hex: $0) ?? SHA256.digest(of: $0) }
            return WrittenFile(known: try file(row, marks: version.map { _ in [] }), version: version)
        }
    }

    /// The files that belong to an attachment, ordered by path.
    public func all(of attachment: AttachmentID) throws(LibraryError) -> [LocalFile] {
        try localFiles(where: "attachment_id = ?", [.id(attachment)])
    }

    /// The number of the next scan of mark files, higher than that of every scan that found a save so far. Events during the next
    /// scan have the number after this one.
    public func nextLook() throws(LibraryError) -> Int {
        // The maximum is read only once: there may be 50,000 files, and a save waits for this.
        if lastLook == nil { lastLook = try database.row("SELECT max(saved_in) FROM local_files") { $0.integer(0) } }
        let last = lastLook ?? 0
        lastLook = last + 2
        return last + 1
    }

    /// When a known file was last saved.
    public func lastSave(of path: String) throws(LibraryError) -> ObservedSave? {
        try database.row("SELECT saved_in, saved_at FROM local_files WHERE path = ?", [.text(path)]) { row in
            ObservedSave(look: row.integer(0), time: Int64(row.integer(1)))
        }
    }

    /// When each of a chart's files was last saved, keyed by the bytes of the file's path.
    func lastSaves(ofFilesFor attachment: AttachmentID) throws(LibraryError) -> [[UInt8]: ObservedSave] {
        try database.dictionary("SELECT path, saved_in, saved_at FROM local_files WHERE attachment_id = ?", [.id(attachment)]) { row in
            (Array(row.text(0).utf8), ObservedSave(look: row.integer(1), time: Int64(row.integer(2))))
        }
    }

    /// The files that could be read at some time but belong to no known chart, with their references to charts: at most `most`
    /// files, ordered by path, starting with the first one after `path`.
    public func unmatchedReferences(
        after path: String = "", atMost most: Int = .max
    ) throws(LibraryError) -> [(path: String, reference: MarkFile.Reference)] {
        try database.rows(
            """
            SELECT path, said_attachment, said_chart, said_pdf FROM local_files
            WHERE path > ? AND attachment_id IS NULL AND marks IS NOT NULL ORDER BY path LIMIT ?
            """, [.text(path), .integer(most)]
        ) { row throws(LibraryError) in (row.text(0), try reference(row, from: 1)) }
    }

    /// The stamps of the known files at their last reading, all or those below a folder, ordered by path. The files' marks are not
    /// read, which would take much longer.
    public func stamps(below folder: String? = nil) throws(LibraryError) -> FileStamps {
        let range = folder.map(Self.range).map { [SQLValue.text($0.first), .text($0.end)] }
        var files = FileStamps()
        _ = try database.rows(
            """
            SELECT path, device, inode, size, modified, changed FROM local_files \(range == nil ? "" : "WHERE path > ? AND path < ?")
            ORDER BY path
            """, range ?? []
        ) { row in row.withText(0) { files.append($0, row.stamp(from: 1)) } }
        return files
    }

    /// The bounds between which all paths below a folder are; "0" is the character after the slash.
    static func range(below folder: String) -> (first: String, end: String) {
        folder == "/" ? ("/", "0") : (folder + "/", folder + "0")
    }

    /// At most `most` of the known files below a folder, ordered by path, starting with the first one after `path`.
    public func stamps(
        below folder: String, after path: String? = nil, atMost most: Int
    ) throws(LibraryError) -> [FileStamps.Entry] {
        try database.rows(
            "SELECT path, device, inode, size, modified, changed FROM local_files WHERE path > ? AND path < ? ORDER BY path LIMIT ?",
            [.text(path ?? Self.range(below: folder).first), .text(Self.range(below: folder).end), .integer(most)]
        ) { row in FileStamps.Entry(path: row.text(0), stamp: row.stamp(from: 1)) }
    }

    /// The marks that the user's files draw on an attachment's chart, including hidden ones, ordered by path. The parts of a layer
    /// are joined under the id of the first part.
    public func localLayers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        let pages = try charts.geometries(of: attachment)
        let parts = Set(try self.parts.layers(of: attachment))
        var layers: [Layer] = []
        for file in try all(of: attachment) {
            guard var layer = file.layer, let content = file.content else { continue }
            let places = try followed.places(of: layer.id, on: attachment)
            Laying(sheets: content.sheets, pages: pages, followed: places).lay(&layer.marks)
            if parts.contains(layer.id), let place = layers.firstIndex(where: { parts.contains($0.id) }) {
                layers[place].marks += layer.marks
            } else {
                layers.append(layer)
            }
        }
        return layers
    }

    /// Stores files as they were read, and drops those that are `gone`, completely or, if this throws, not at all. Writes nothing
    /// if nothing changed; returns whether anything changed.
    ///
    /// A file keeps the time when it was first seen, even if it was gone for a while or was renamed. If the file does not name the
    /// bytes that it was marked on, the former record of these bytes stays.
    @discardableResult
    public func store(_ files: [LocalFile], forgetting gone: [String] = []) throws(LibraryError) -> Bool {
        // Writing JSON takes time, and nothing should have to wait for the lock meanwhile.
        let written = try files.map { file throws(LibraryError) in try WrittenFile(file) }
        return try store(written: written, forgetting: gone)
    }

    /// Stores files like the other `store`, but with marks that are already encoded, or are unchanged in the catalogue. If a file
    /// loses marks, its former state is stored within the limits of `history`.
    @discardableResult
    public func store(
        written files: [WrittenFile], forgetting gone: [String] = [], history: MarkHistory? = nil
    ) throws(LibraryError) -> Bool {
        guard !files.isEmpty || !gone.isEmpty else { return false }
        assert(Set(gone).isDisjoint(with: files.map(\.file.path)), "no file is gone that was read")
        assert(files.allSatisfy { $0.file.content != nil || $0.file.fault != nil }, "what was read is either understood or at fault")
        let rows = try files.map { file throws(LibraryError) in try values(of: file) }
        return try database.write { () throws(LibraryError) in
            let former = try history.map { history throws(LibraryError) in try keepFormer(of: files, gone, at: history.now) } ?? []
            for path in gone { try forget(localFile: path) }
            var changes = gone.count
            let mayBeKnown = try hasFormerFiles
            for (file, row) in zip(files, rows) {
                if mayBeKnown { try passHistory(to: file.file, marks: file.text) }
                changes += try database.run(Self.storing, row)
                if let sums = file.sums, let version = file.version {
                    try database.put(
                        "mark_sums", key: "path", ifOther: true,
                        ["path": .text(file.file.path), "version": .text(version.hex), "sums": .text(sums.text)])
                    try parts.store(file.part, of: file)
                }
            }
            if let history, !former.isEmpty { try settle(former, with: files, history) }
            if changes > 0 {
                try database.run("DELETE FROM former_files WHERE EXISTS (SELECT 1 FROM local_files WHERE path = former_files.path)")
            }
            return changes > 0
        }
    }

    /// SQL to store a file as it was read. The charts that its marks were made on and accepted for are kept only if it had marks on
    /// the same chart before: otherwise it has no marks from an older version of this chart.
    private static let storing = """
        INSERT INTO local_files (
            path, device, inode, size, modified, first_seen, attachment_id, marked_on, name, said_attachment, said_chart, said_pdf,
            other_pages, notes, marks, fault, marks_version, last_page, accepted_on, changed, sheets, saved_in, saved_at)
        VALUES (?1, ?2, ?3, ?4, ?5, coalesce((SELECT first_seen FROM former_files WHERE path = ?1), ?6),
            ?7, coalesce(?8, (SELECT marked_on FROM former_files WHERE path = ?1 AND attachment_id IS ?7)),
            ?9, ?10, ?11, ?12, ?13, ?14,
            CASE WHEN ?18 THEN (SELECT marks FROM local_files WHERE path = ?1) ELSE ?15 END, ?16, ?17,
            CASE WHEN ?18 THEN (SELECT last_page FROM local_files WHERE path = ?1) ELSE ?19 END,
            (SELECT accepted_on FROM former_files WHERE path = ?1 AND attachment_id IS ?7), ?20, ?21, ?22, ?23)
        ON CONFLICT (path) DO UPDATE SET
            (\(asRead), marks, last_page, went_back) = (\(asReadNow), excluded.marks, excluded.last_page, 0),
            saved_in = CASE WHEN \(isSaved) THEN excluded.saved_in ELSE saved_in END,
            saved_at = CASE WHEN \(isSaved) THEN excluded.saved_at ELSE saved_at END,
            marked_on = CASE
                WHEN excluded.marked_on IS NULL AND attachment_id IS excluded.attachment_id AND coalesce(marks, '[]') <> '[]'
                    AND coalesce(excluded.marks, '[]') <> '[]' THEN marked_on ELSE excluded.marked_on END,
            accepted_on = CASE
                WHEN attachment_id IS excluded.attachment_id AND coalesce(marks, '[]') <> '[]'
                    AND coalesce(excluded.marks, '[]') <> '[]' THEN accepted_on END
        WHERE went_back OR (\(asRead), coalesce(excluded.marked_on, marked_on)) IS NOT (\(asReadNow), marked_on)
        """

    /// The columns that are always set from the last reading.
    private static let asRead = """
        device, inode, size, modified, changed, attachment_id, name, said_attachment, said_chart, said_pdf, other_pages, notes, \
        marks_version, sheets, fault
        """
    private static let asReadNow = asRead.split(separator: ", ").map { "excluded." + $0 }.joined(separator: ", ")
    private static let isSaved = "excluded.saved_in > 0 AND marks_version IS NOT excluded.marks_version"

    private func values(of written: WrittenFile) throws(LibraryError) -> [SQLValue] {
        let file = written.file
        var values =
            [.text(file.path)] + file.stamp.identity
            + [
                .integer(file.stamp.modified), .time(file.firstSeen), .optional(file.attachment?.text),
                .optional(file.markedOn?.digest.hex),
            ]
        if let content = file.content {
            let said = content.reference
            values += [
                .optional(content.name), .optional(said.attachment?.text), .optional(said.chart?.digest.hex ?? said.chartBeginning),
                .optional(said.pdf), .integer(content.otherPages), .text(try StoredJSON.write(content.notes, in: database)),
                .optional(written.text),
            ]
        } else {
            values += [SQLValue](repeating: .null, count: 7)
        }
        return values + [
            .optional(file.fault), .optional(written.version?.hex), .flag(written.version != nil && written.text == nil),
            .optional(written.lastPage?.value), .integer(file.stamp.changed),
            .optional(try SheetsText.write(file.content?.sheets ?? [:], in: database)),
            .integer(written.save?.look ?? 0), .integer(written.save?.time ?? file.stamp.modified),
        ]
    }

    /// All columns of a file except its marks.
    private static let columns = """
        path, device, inode, size, modified, changed, first_seen, attachment_id, marked_on, fault,
        name, said_attachment, said_chart, said_pdf, other_pages, notes, sheets
        """

    private func localFiles(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [LocalFile] {
        try database.rows("SELECT \(Self.columns), marks FROM local_files WHERE \(condition) ORDER BY path", values) {
            row throws(LibraryError) in
            let layer = LocalFile.layerID(ofFile: row.text(0))
            let marks = if let text = row.optionalText(17) { try MarksText.read(text, of: layer) } else { nil as [Mark]? }
            return try file(row, marks: marks)
        }
    }

    /// A file with `marks`, which are `nil` if the file could never be read.
    private func file(_ row: borrowing Row, marks: [Mark]?) throws(LibraryError) -> LocalFile {
        var file = LocalFile(
            path: row.text(0), stamp: row.stamp(from: 1), firstSeen: row.moment(6),
            attachment: row.optionalText(7).map { AttachmentID($0) }, markedOn: try chart(row, 8), fault: row.optionalText(9))
        if let marks {
            file.content = MarkFile(
                name: row.optionalText(10), reference: try reference(row, from: 11), marks: marks,
                sheets: try SheetsText.read(row.optionalText(16), in: database), otherPages: row.integer(14),
                notes: try StoredJSON.read([String].self, row.text(15), in: database))
        } else if file.fault == nil {
            // Woodshed writes no row that lacks both marks and a fault. If such a row exists anyway, the other rows are still read,
            // and this fault shows that the row's marks are missing.
            file.fault = "is not kept here as it was read; save it once more"
        }
        return file
    }

    private func reference(_ row: borrowing Row, from column: Int32) throws(LibraryError) -> MarkFile.Reference {
        let beginning = row.optionalText(column + 1).flatMap { MarkFile.Reference.chartBeginning($0) }
        return MarkFile.Reference(
            attachment: row.optionalText(column).map { AttachmentID($0) }, chart: beginning == nil ? try chart(row, column + 1) : nil,
            chartBeginning: beginning, pdf: row.optionalText(column + 2))
    }

    private func chart(_ row: borrowing Row, _ column: Int32) throws(LibraryError) -> ChartHash? {
        try row.optionalText(column).map { hex throws(LibraryError) in try database.hash(hex) }
    }
}
