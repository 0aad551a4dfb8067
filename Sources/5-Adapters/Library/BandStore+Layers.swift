public import BandLayout
public import Catalogue
public import Model

/// The layers of marks that the others share, among those of the service.
extension BandStore {
    /// A layer that is shared on a chart that is here, and is not among the layers as it is now.
    public struct Missing: Hashable, Sendable {
        /// What one device has of it.
        public struct Part: Hashable, Sendable {
            public let device: BandDevice
            public let object: Digest
            public let length: Int
        }

        /// Several of what one musician drew on several devices, which is one layer.
        public let parts: [Part]
        public var length: Int { parts.reduce(0) { $0 + $1.length } }
        /// It without its marks.
        public let layer: Layer
        let device: BandDevice
        let id: String
        let chart: String
    }

    /// The layers that are shared: what is drawn on the devices of one musician is one, called as the first of them is. With the objects
    /// that each is made of.
    private static let shared = """
        SELECT CASE WHEN entry.name IN ('', '\(BandHead.Layer.drawnName)') THEN coalesce(
                (SELECT min(pair.other) FROM (\(pairs)) AS pair JOIN band_devices AS band ON band.device = pair.other
                    WHERE pair.device = entry.device AND pair.other < entry.device AND \(isShown) AND NOT band.has_left), entry.device)
            ELSE entry.device END AS owner,
            entry.id, entry.chart, min(entry.name) AS name, max(entry.since) AS since, sum(entry.length) AS length,
            group_concat(entry.device || ' ' || entry.object || ' ' || entry.length, ' ') AS parts,
            group_concat(entry.object, ' ') AS objects
        FROM (SELECT * FROM band_entries ORDER BY device, id) AS entry JOIN band_devices AS band USING (device)
        WHERE \(isShown) AND NOT \(hasLeft) AND entry.length <= \(longestObject) AND NOT \(isTakenBack)
        GROUP BY owner, entry.id, entry.chart
        """

    /// Some of them, in an order that stays, after the one with the id `last`. One device can have only so much here, whatever it writes.
    public func missing(after last: LayerID? = nil, most: Int) throws(LibraryError) -> [Missing] {
        try database.rows(
            """
            SELECT layer, owner, id, parts, chart, name, player, attachment_id,
                max(since, coalesce((SELECT revision + 1 FROM layers WHERE layers.id = layer), 0))
            FROM (
                SELECT \(Self.layerID) AS layer, entry.*, \(Self.person), attachment_id,
                    row_number() OVER (PARTITION BY owner, attachment_id ORDER BY entry.id) AS number,
                    sum(entry.length) OVER (PARTITION BY owner ORDER BY entry.id, attachment_id) AS amount
                FROM (\(Self.shared)) AS entry JOIN band_devices AS band ON band.device = owner
                    JOIN (SELECT attachment_id, hash FROM attachment_charts
                        UNION SELECT attachment_id, layout FROM attachment_charts JOIN song_charts USING (hash)) ON hash = entry.chart
            ) AS entry
            WHERE number <= \(Self.mostLayersOfAChart) AND amount <= \(Self.mostBytes) AND (?1 IS NULL OR layer > ?1)
                AND (NOT EXISTS (SELECT 1 FROM band_layers WHERE layer_id = layer AND object = entry.objects)
                    OR EXISTS (SELECT 1 FROM layer_doubts WHERE layer_id = layer))
            ORDER BY layer LIMIT ?2
            """, [.optional(last?.text), .integer(most)]
        ) { row throws(LibraryError) in
            let words = row.text(3).split(separator: " ").map { String($0) }
            var parts: [Missing.Part] = []
            for place in stride(from: 0, to: words.count - 2, by: 3) {
                guard let object = Digest(hex: words[place + 1]), let length = Int(words[place + 2]) else {
                    throw .damaged(path: database.path, message: "an object has no sum")
                }
                parts.append(Missing.Part(device: BandDevice(words[place]), object: object, length: length))
            }
            return Missing(
                parts: parts,
                layer: Layer(
                    id: LayerID(row.text(0)), attachment: AttachmentID(row.text(7)), personName: row.text(6), name: row.text(5),
                    revision: row.integer(8), marks: []),
                device: BandDevice(row.text(1)), id: row.text(2), chart: row.text(4))
        }
    }

    /// Calls the layers that are here as those who share them call themselves and their layers now. Returns whether any is called otherwise.
    public func callAsNow() throws(LibraryError) -> Bool {
        let others = try database.rows(
            """
            SELECT * FROM (
                SELECT layer.layer_id, \(Self.person), entry.name AS name, layer.person AS former_person, layer.name AS former_name
                FROM band_layers AS layer JOIN band_entries AS entry USING (device, id) JOIN band_devices AS band USING (device))
            WHERE (player, name) <> (former_person, former_name)
            """
        ) { (id: $0.text(0), person: $0.text(1), name: $0.text(2)) }
        guard !others.isEmpty else { return false }
        try database.write { () throws(LibraryError) in
            for (id, person, name) in others {
                let values: [SQLValue] = [.text(id), .text(person), .text(name)]
                try database.run("UPDATE band_layers SET (person, name) = (?2, ?3) WHERE layer_id = ?1", values)
                try database.run("UPDATE layers SET (person_name, name) = (?2, ?3) WHERE id = ?1", values)
            }
        }
        return true
    }

    /// A missing layer with its marks, also as they are written down, or why it cannot be read.
    public struct Found: Sendable {
        public let missing: Missing
        public let marks: [Mark]
        public let text: String
        public let fault: String?

        /// What it was made of: not all, if something has not arrived.
        let objects: String

        public init(_ missing: Missing, of parts: [Missing.Part], marks: [Mark], text: String, fault: String?) {
            (self.missing, self.marks, self.text, self.fault) = (missing, marks, text, fault)
            objects = parts.map(\.object.hex).joined(separator: " ")
        }
    }

    /// Takes over layers, as far as they can be believed. Returns what changed; if that is very much, as when somebody joins, it is too much
    /// to be told one by one.
    public func take(_ found: [Found], at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        guard !found.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            var changes: [LibraryChange] = []
            for each in found {
                var layer = each.missing.layer
                layer.marks = each.marks
                // Nobody is unready because of what was never shown.
                if each.fault != nil, try !database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [.id(layer.id)]) { continue }
                try hideAsOthers(layer.id, each.missing)
                // On all devices together, everything was erased: nobody has to wonder whether that is so.
                if each.missing.parts.count > 1, each.fault == nil, each.marks.isEmpty {
                    changes += try layers.takeAway([layer.id], at: now)
                } else {
                    changes += try layers.update(ofBand: LayerStore.Told(layer, text: each.text), fault: each.fault, at: now)
                }
                // What is in doubt is told again until it is believed.
                guard try layers.doubt(about: layer.id) == nil else { continue }
                try database.put(
                    "band_layers", key: "layer_id",
                    [
                        "layer_id": .id(layer.id), "device": .id(each.missing.device), "id": .text(each.missing.id),
                        "chart": .text(each.missing.chart), "object": .text(each.objects), "person": .text(layer.personName),
                        "name": .text(layer.name),
                    ])
            }
            guard changes.count <= Self.mostTold else { return changes.filter { if case .layerDoubted = $0 { true } else { false } } }
            try journal.record(changes, at: now)
            return changes
        }
    }

    /// A layer that is new here only because it is called as another device of the same musician stays hidden.
    private func hideAsOthers(_ layer: LayerID, _ missing: Missing) throws(LibraryError) {
        guard try !database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [.id(layer)]) else { return }
        for other in try kin(of: missing.device) {
            let known = "\(Self.prefix)\(other):\(missing.id):\(missing.layer.attachment)"
            try database.run(
                "INSERT OR IGNORE INTO hidden_layers SELECT attachment_id, ?2 FROM hidden_layers WHERE layer_id = ?1",
                [.text(known), .id(layer)])
        }
    }

    /// Takes away the layers that their owners share no more, or on another chart, and those of whoever is left out. They draw nothing from
    /// now on.
    public func takeBack(at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        let gone = try database.rows(
            """
            SELECT layer_id FROM band_layers AS layer
            WHERE (layer.device, layer.id, layer.chart) NOT IN (SELECT owner, id, chart FROM (\(Self.shared))) ORDER BY layer_id
            """
        ) { LayerID($0.text(0)) }
        // What is in doubt of them is not, either.
        if try database.has("SELECT 1 FROM layer_doubts WHERE layer_id LIKE '\(Self.prefix)%'") {
            try database.run(
                """
                DELETE FROM layer_doubts WHERE layer_id LIKE '\(Self.prefix)%' AND layer_id NOT IN (
                    SELECT \(Self.layerID) FROM (\(Self.shared)) AS entry
                        JOIN (SELECT attachment_id, hash FROM attachment_charts
                            UNION SELECT attachment_id, layout FROM attachment_charts JOIN song_charts USING (hash)) ON hash = entry.chart)
                """)
        }
        guard !gone.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            let changes = try layers.takeAway(gone, at: now)
            for layer in gone { try database.run("DELETE FROM band_layers WHERE layer_id = ?", [.id(layer)]) }
            return changes
        }
    }

    /// Whether a layer is one that somebody in the band shares.
    public nonisolated static func isOfBand(_ layer: LayerID) -> Bool { layer.text.hasPrefix(prefix) }

    /// The device that shares it.
    public nonisolated static func device(of layer: LayerID) -> BandDevice? {
        guard isOfBand(layer) else { return nil }
        return BandDevice(checking: layer.text.dropFirst(prefix.count).prefix { $0 != ":" })
    }

    /// A longer one is not read: twenty thousand points of a pen, some hundred signs, need less.
    public nonisolated static let longestObject = 512 << 10
    private static let mostTold = 20
    private static let mostLayersOfAChart = 4
    private static let mostBytes = 16 << 20

    /// What people call whoever plays there: the device tells apart those who call themselves the same.
    private static let person = """
        CASE WHEN EXISTS (
            SELECT 1 FROM band_devices AS other
            WHERE other.person = band.person AND other.device <> band.device AND NOT other.has_left
                AND other.device NOT IN (SELECT name FROM band_left_out UNION ALL SELECT device FROM band_former)
                AND (band.device, other.device) NOT IN (\(pairs)))
        THEN band.person || ' (' || coalesce(nullif(band.device_name, ''), band.device) || ')' ELSE band.person END AS player
        """

    nonisolated static let prefix = "band:"
    private static let layerID = "'\(prefix)' || entry.owner || ':' || entry.id || ':' || attachment_id"
}
