public import BandLayout
public import Catalogue
public import Model

/// The layers of marks that the others share, among those of the service.
extension BandStore {
    /// A layer that is shared on a chart that is here, and is not among the layers as it is now.
    public struct Missing: Hashable, Sendable {
        public let device: BandDevice
        public let object: Digest
        public let length: Int
        /// It without its marks.
        public let layer: Layer
        let id: String
        let chart: String
    }

    /// Some of them, in an order that stays, after the one with the id `last`. One device can have only so much here, whatever it writes.
    public func missing(after last: LayerID? = nil, most: Int) throws(LibraryError) -> [Missing] {
        try database.rows(
            """
            SELECT * FROM (
                SELECT \(Self.layerID) AS layer, entry.device, entry.id, entry.object, entry.length, entry.since, entry.name,
                    \(Self.person), attachment_id,
                    row_number() OVER (PARTITION BY entry.device, attachment_id ORDER BY entry.id) AS number,
                    sum(entry.length) OVER (PARTITION BY entry.device ORDER BY entry.id, attachment_id) AS amount, entry.chart
                FROM band_entries AS entry JOIN band_devices AS band USING (device)
                    JOIN (SELECT attachment_id, hash FROM attachment_charts
                        UNION SELECT attachment_id, layout FROM attachment_charts JOIN song_charts USING (hash)) ON hash = entry.chart
                WHERE \(Self.isShown) AND NOT \(Self.hasLeft) AND entry.length <= \(Self.longestObject)
            ) AS entry
            WHERE number <= \(Self.mostLayersOfAChart) AND amount <= \(Self.mostBytes) AND (?1 IS NULL OR layer > ?1)
                AND (NOT EXISTS (SELECT 1 FROM band_layers WHERE layer_id = layer AND object = entry.object)
                    OR EXISTS (SELECT 1 FROM layer_doubts WHERE layer_id = layer))
            ORDER BY layer LIMIT ?2
            """, [.optional(last?.text), .integer(most)]
        ) { row throws(LibraryError) in
            guard let object = Digest(hex: row.text(3)) else { throw .damaged(path: database.path, message: "an object has no sum") }
            return Missing(
                device: BandDevice(row.text(1)), object: object, length: row.integer(4),
                layer: Layer(
                    id: LayerID(row.text(0)), attachment: AttachmentID(row.text(8)), personName: row.text(7), name: row.text(6),
                    revision: row.integer(5), marks: []),
                id: row.text(2), chart: row.text(11))
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

        public init(_ missing: Missing, marks: [Mark], text: String, fault: String?) {
            (self.missing, self.marks, self.text, self.fault) = (missing, marks, text, fault)
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
                changes += try layers.update(ofBand: LayerStore.Told(layer, text: each.text), fault: each.fault, at: now)
                // What is in doubt is told again until it is believed.
                guard try layers.doubt(about: layer.id) == nil else { continue }
                try database.put(
                    "band_layers", key: "layer_id",
                    [
                        "layer_id": .id(layer.id), "device": .id(each.missing.device), "id": .text(each.missing.id),
                        "chart": .text(each.missing.chart), "object": .text(each.missing.object.hex), "person": .text(layer.personName),
                        "name": .text(layer.name),
                    ])
            }
            guard changes.count <= Self.mostTold else { return changes.filter { if case .layerDoubted = $0 { true } else { false } } }
            try journal.record(changes, at: now)
            return changes
        }
    }

    /// Takes away the layers that their owners share no more, or on another chart, and those of whoever is left out. They draw nothing from
    /// now on.
    public func takeBack(at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        let shared = """
            EXISTS (
                SELECT 1 FROM band_entries AS entry JOIN band_devices AS band USING (device)
                WHERE \(Self.isShown) AND NOT \(Self.hasLeft)
            """
        let gone = try database.rows(
            """
            SELECT layer_id FROM band_layers AS layer
            WHERE NOT \(shared) AND (entry.device, entry.id, entry.chart) = (layer.device, layer.id, layer.chart)) ORDER BY layer_id
            """
        ) { LayerID($0.text(0)) }
        // What is in doubt of them is not, either.
        try database.run(
            """
            DELETE FROM layer_doubts
            WHERE layer_id LIKE '\(Self.prefix)%' AND NOT \(shared) AND layer_id = \(Self.layerID))
            """)
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
                AND other.device NOT IN (SELECT name FROM band_left_out UNION ALL SELECT device FROM band_former))
        THEN band.person || ' (' || coalesce(nullif(band.device_name, ''), band.device) || ')' ELSE band.person END AS player
        """

    nonisolated static let prefix = "band:"
    private static let layerID = "'\(prefix)' || entry.device || ':' || entry.id || ':' || attachment_id"
}
