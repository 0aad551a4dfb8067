public import Catalogue
public import LayerJoin
public import Model

/// A known part of a chart's layer.
public struct KnownPart: Hashable, Sendable {
    public let path: String
    /// A number that is different after each change of the part.
    public let version: Int
    public let part: LayerPart
    /// True if neither the part nor its chart has changed since the shares of the layer's parts were computed.
    package var isSettled = true

    public init(path: String, version: Int, _ part: LayerPart) { (self.path, self.version, self.part) = (path, version, part) }
}

/// The parts of the layers that are drawn here, including everything that was ever read from their files.
public final class PartStore: Store {
    /// The parts that were requested last, keyed by path.
    private var known: [String: KnownPart] = [:]

    /// The parts of a chart's layer, ordered by path.
    public func all(of attachment: AttachmentID) throws(LibraryError) -> [KnownPart] {
        try database.rows(
            "\(Self.partRows) AND attachment_id = ? ORDER BY path", [.id(attachment)],
            Self.partRow
        ).map { row throws(LibraryError) in try part(row) }
    }

    /// The part in one file; `nil` if the file is not a part.
    public func part(at path: String) throws(LibraryError) -> KnownPart? {
        try database.row("\(Self.partRows) AND path = ?", [.text(path)], Self.partRow).map { row throws(LibraryError) in try part(row) }
    }

    /// The revision of each part of a chart's layer, in which the part is drawn: its share of the drawn marks is stored together
    /// with it.
    public func states(of attachment: AttachmentID) throws(LibraryError) -> PartStates {
        PartStates(
            try database.rows(
                "SELECT path, revision FROM parts JOIN local_files USING (path) WHERE revision >= 0 AND attachment_id = ?",
                [.id(attachment)]
            ) { (path: $0.text(0), revision: $0.integer(1)) })
    }

    /// A text that differs after each change of the parts of a chart's layer.
    func version(of attachment: AttachmentID) throws(LibraryError) -> String {
        try database.rows(
            "SELECT version FROM parts JOIN local_files USING (path) WHERE revision >= 0 AND attachment_id = ? ORDER BY path",
            [.id(attachment)]
        ) { $0.text(0) }.joined(separator: " ")
    }

    /// The files that are parts of a chart's layer, ordered by path.
    public func paths(of attachment: AttachmentID) throws(LibraryError) -> [String] {
        try database.rows(
            "SELECT path FROM parts JOIN local_files USING (path) WHERE revision >= 0 AND attachment_id = ? ORDER BY path",
            [.id(attachment)]
        ) { $0.text(0) }
    }

    /// The ids of the homes whose parts are stored, taken from the files' names.
    public func homes() throws(LibraryError) -> Set<String> {
        let end = ".marks.json"
        return Set(
            try database.rows(
                "SELECT DISTINCT substr(path, ?1, 16) FROM parts WHERE revision >= 0 AND substr(path, ?2) = ?3",
                [.integer(-16 - end.count), .integer(-end.count), .text(end)]
            ) { $0.text(0) }.filter(HomeID.isID))
    }

    /// The layer ids of a chart's parts; outside this store, the parts are one layer.
    public func layers(of attachment: AttachmentID) throws(LibraryError) -> [LayerID] {
        try paths(of: attachment).map { LocalFile.layerID(ofFile: $0) }
    }

    /// The files to read again: native layers that may be parts, since an older program, which ignores parts, read them last;
    /// parts whose shares are no longer known; and files that went back to an older state.
    public func filesToRead() throws(LibraryError) -> [String] {
        try database.rows(Self.toBeRead("TRUE")) { $0.text(0) }
    }

    public func isToBeRead(_ path: String) throws(LibraryError) -> Bool {
        try database.has(Self.toBeRead("path = ?1"), [.text(path)])
    }

    /// SQL for the files to read again, limited by `condition`. A file that went back to an older state is included, since an
    /// older program may have stored its newer marks.
    private static func toBeRead(_ condition: String) -> String {
        // Without the index given here, SQLite would read every row.
        """
        SELECT path FROM local_files INDEXED BY local_files_by_part
        WHERE \(condition) AND NOT is_away AND marks_version IS NOT NULL AND fault IS NULL AND path LIKE '\(mayBeParts)' AND NOT EXISTS (
            SELECT 1 FROM parts
            WHERE parts.path = local_files.path AND drawn IS marks_version AND (revision < 0 OR chart IS attachment_id))
        UNION SELECT path FROM local_files WHERE \(condition) AND went_back ORDER BY path
        """
    }

    // MARK: - Storing

    /// Stores everything known about a file as a part, or that the file is not a part.
    func store(_ part: LayerPart?, of file: WrittenFile) throws(LibraryError) {
        let path = file.file.path
        guard let part else {
            try forget(path)
            try database.run(
                "INSERT INTO parts (path, revision, taken_out, drawn) SELECT ?1, ?2, '', ?3 WHERE ?1 LIKE '\(Self.mayBeParts)'",
                [.text(path), .integer(Self.none), .optional(file.version?.hex)])
            return
        }
        let former = try self.part(at: path)
        let changes = part.layer.changes(since: former?.part.layer ?? JoinedLayer())
        for (id, values) in changes {
            try database.run("DELETE FROM part_values WHERE path = ? AND id = ?", [.text(path), .text(id.text)])
            for value in values {
                let counts = Dictionary(uniqueKeysWithValues: value.edits.counts.map { ($0.key.text, $0.value) })
                try database.put(
                    "part_values",
                    [
                        "path": .text(path), "id": .text(id.text), "edits": .text(try StoredJSON.write(counts, in: database)),
                        "mark": .optional(value.mark.map { String(decoding: $0.bytes, as: UTF8.self) }),
                        "created_at": .time(value.mark?.createdAt),
                    ])
            }
        }
        let isSame = changes.isEmpty && former.map { ($0.part.revision, $0.part.takenOut) == (part.revision, part.takenOut) } ?? false
        let (drawn, chart) = (SQLValue.optional(file.version?.hex), SQLValue.optional(file.file.attachment?.text))
        if isSame {
            try database.run(
                "UPDATE parts SET (drawn, chart) = (?2, ?3) WHERE path = ?1 AND (drawn, chart) IS NOT (?2, ?3)",
                [.text(path), drawn, chart])
        } else {
            try database.run("DELETE FROM parts WHERE path = ?", [.text(path)])
            try database.put(
                "parts",
                [
                    "path": .text(path), "revision": .integer(part.revision),
                    "taken_out": .text(part.takenOut.sorted().joined(separator: " ")), "drawn": drawn, "chart": chart,
                ])
            if let number = try database.row("SELECT version FROM parts WHERE path = ?", [.text(path)], { $0.integer(0) }) {
                keep(KnownPart(path: path, version: number, part))
            }
        }
        assert((try? self.part(at: path)?.part) == part, "a part is read as it was written")
    }

    /// Deletes a part. The other parts of its layer then have other shares, so they are read again.
    func forget(_ path: String) throws(LibraryError) {
        try database.run(
            """
            UPDATE parts SET drawn = NULL
            WHERE revision >= 0 AND path <> ?1 AND EXISTS (SELECT 1 FROM parts WHERE path = ?1 AND revision >= 0) AND path IN (
                SELECT path FROM local_files WHERE attachment_id = (SELECT attachment_id FROM local_files WHERE path = ?1))
            """, [.text(path)])
        for table in ["parts", "part_values"] { try database.run("DELETE FROM \(table) WHERE path = ?", [.text(path)]) }
    }

    // MARK: - Reading

    /// SQL for the parts. It leaves out rows of `parts` that remain after another program has deleted only the file's row in
    /// `local_files`.
    private static let partRows = """
        SELECT path, version, revision, taken_out, drawn IS marks_version AND chart IS attachment_id
        FROM parts JOIN local_files USING (path) WHERE revision >= 0
        """
    private static let mayBeParts = "%.marks%.json%"
    /// Stands in place of a revision if the file was read and is not a part.
    private static let none = -1

    private struct PartRow {
        let path: String
        let version: Int
        let revision: Int
        let takenOut: String
        let isSettled: Bool
    }

    private static func partRow(_ row: borrowing Row) -> PartRow {
        PartRow(path: row.text(0), version: row.integer(1), revision: row.integer(2), takenOut: row.text(3), isSettled: row.integer(4) != 0)
    }

    private func part(_ row: PartRow) throws(LibraryError) -> KnownPart {
        var part: KnownPart
        if let last = known[row.path], last.version == row.version {
            part = last
        } else {
            part = KnownPart(path: row.path, version: row.version, try read(row))
            keep(part)
        }
        part.isSettled = row.isSettled
        return part
    }

    private func read(_ row: PartRow) throws(LibraryError) -> LayerPart {
        let values = try database.rows(
            "SELECT id, edits, mark, created_at FROM part_values WHERE path = ?", [.text(row.path)]
        ) { value throws(LibraryError) in
            let counts = try StoredJSON.read([String: Int].self, value.text(1), in: database)
            let edits = EditCounts(Dictionary(uniqueKeysWithValues: counts.map { (DeviceID($0.key), $0.value) })) ?? EditCounts()
            let mark = value.optionalText(2).map { LayerValue.Text(Array($0.utf8), createdAt: value.time(3)) }
            return LayerValue(MarkID(value.text(0)), edits, mark)
        }
        let takenOut = Set(row.takenOut.split(separator: " ").map { String($0) })
        return LayerPart(revision: row.revision, layer: JoinedLayer(values), takenOut: takenOut)
    }

    /// The most parts kept in memory: people draw on a few charts at a time, and the parts of these charts are long.
    private static let mostKept = 32

    private func keep(_ part: KnownPart) {
        if known.count >= Self.mostKept, known[part.path] == nil { known = [:] }
        known[part.path] = part
    }
}
