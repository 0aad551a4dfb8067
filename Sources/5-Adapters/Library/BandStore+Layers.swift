public import BandLayout
public import Catalogue
public import Model

/// The layers of marks that others share, stored together with the service's layers.
extension BandStore {
    /// A shared layer on a chart of this library that is not stored here in its present state.
    public struct Missing: Hashable, Sendable {
        /// One device's part of the layer.
        public struct Part: Hashable, Sendable {
            public let device: BandDevice
            public let object: Digest
            public let length: Int
        }

        /// Several parts if one musician drew on several devices: together they are one layer.
        public let parts: [Part]
        public var length: Int { parts.reduce(0) { $0 + $1.length } }
        /// The layer without the marks.
        public let layer: Layer
        let device: BandDevice
        let id: String
        let chart: String
        /// Whether the layer's musician has several devices.
        public let isOfSeveral: Bool
    }

    /// SQL for the shared layers and the objects that make up each of them. What one musician drew on several devices is one
    /// layer, owned by the device with the least id.
    private static let shared = """
        SELECT entry.device AS owner, entry.id, entry.chart, entry.name, entry.since, entry.length,
            entry.device || ' ' || entry.object || ' ' || entry.length AS parts, entry.object AS objects
        FROM band_devices AS band CROSS JOIN band_entries AS entry USING (device)
        WHERE \(isShown) AND NOT \(hasLeft) AND entry.length <= \(longestObject) AND NOT \(hasOthers)
        UNION ALL
        SELECT CASE WHEN entry.name IN ('', '\(BandHead.Layer.drawnName)') THEN coalesce(
                (SELECT min(pair.other) FROM (\(pairs)) AS pair JOIN band_devices AS band ON band.device = pair.other
                    WHERE pair.device = entry.device AND pair.other < entry.device AND \(isShown) AND NOT band.has_left), entry.device)
            ELSE entry.device END AS owner,
            entry.id, entry.chart, min(entry.name) AS name, max(entry.since) AS since, sum(entry.length) AS length,
            group_concat(entry.device || ' ' || entry.object || ' ' || entry.length, ' ') AS parts,
            group_concat(entry.object, ' ') AS objects
        FROM (SELECT * FROM band_entries AS band WHERE \(hasOthers) ORDER BY device, id) AS entry JOIN band_devices AS band USING (device)
        WHERE \(isShown) AND NOT \(hasLeft) AND entry.length <= \(longestObject) AND NOT \(isTakenBack)
        GROUP BY owner, entry.id, entry.chart
        """

    /// At most `most` missing layers with ids after `last`, ordered by id. For each owner, only the first 16 layers on a chart,
    /// and the first 16 MiB of layers in all, are considered.
    public func missing(after last: LayerID? = nil, most: Int) throws(LibraryError) -> [Missing] {
        try database.rows(
            """
            SELECT layer, owner, id, parts, chart, name, player, attachment_id,
                max(since, coalesce((SELECT revision + 1 FROM layers WHERE layers.id = layer), 0)), is_of_several
            FROM (
                SELECT \(Self.layerID) AS layer, entry.*, \(Self.person), attachment_id, \(Self.hasOthers) AS is_of_several,
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
                device: BandDevice(row.text(1)), id: row.text(2), chart: row.text(4), isOfSeveral: row.integer(9) != 0)
        }
    }

    /// Updates the names of layers and of their owners. Returns whether any name changed.
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

    /// A missing layer that has arrived: its marks, their encoded text and, if the layer cannot be read, the reason.
    public struct ArrivedLayer: Sendable {
        public let missing: Missing
        public let marks: [Mark]
        public let text: String
        public let fault: String?

        /// The objects that these marks were read from; the layer's other objects may still be missing.
        let objects: String

        public init(_ missing: Missing, of parts: [Missing.Part], marks: [Mark], text: String, fault: String?) {
            (self.missing, self.marks, self.text, self.fault) = (missing, marks, text, fault)
            objects = parts.map(\.object.hex).joined(separator: " ")
        }
    }

    /// Stores layers, except those in doubt and unreadable ones that were never shown here. Returns and journals the changes. If
    /// there are more than 20, as when somebody joins the band, the journal gets the doubts and a single change that stands for
    /// all others, and only the doubts are returned.
    public func adopt(_ found: [ArrivedLayer], at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        guard !found.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            var changes: [LibraryChange] = []
            for each in found {
                var layer = each.missing.layer
                layer.marks = each.marks
                // An unreadable layer that was never shown here is skipped, so that it does not make plans unready.
                if each.fault != nil, try !database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [.id(layer.id)]) { continue }
                let wasShown = each.missing.isOfSeveral ? try wasShownAsOthers(layer.id, each.missing) : false
                // The marks were erased on all devices, so their disappearance is certain.
                if each.missing.parts.count > 1, each.fault == nil, each.marks.isEmpty {
                    changes += try layers.stopDrawing([layer.id], isNews: false, at: now)
                } else {
                    let news = try layers.update(ofBand: LayerStore.SentLayer(layer, text: each.text), fault: each.fault, at: now)
                    // These marks were shown before as another device's layer, so only a doubt about them is a change.
                    changes += wasShown ? news.filter { if case .layerDoubted = $0 { true } else { false } } : news
                }
                // A layer in doubt is not recorded, so it is examined each time until the doubt ends.
                guard try layers.doubt(about: layer.id) == nil else { continue }
                try database.put(
                    "band_layers", key: "layer_id",
                    [
                        "layer_id": .id(layer.id), "device": .id(each.missing.device), "id": .text(each.missing.id),
                        "chart": .text(each.missing.chart), "object": .text(each.objects), "person": .text(layer.personName),
                        "name": .text(layer.name),
                    ])
            }
            guard changes.count > Self.mostTold else {
                try journal.record(changes, at: now)
                return changes
            }
            let doubts = changes.filter { if case .layerDoubted = $0 { true } else { false } }
            let people = Set(found.map(\.missing.layer.personName)).sorted()
            let some = people.count > Self.mostNamed ? people.prefix(Self.mostNamed) + ["others"] : people
            try journal.record(doubts + [.layersCame(people: some, layers: changes.count - doubts.count)], at: now)
            return doubts
        }
    }

    /// Returns whether these marks were already shown as a layer of another device of the musician. If the user hid that layer, a
    /// new layer is hidden too.
    private func wasShownAsOthers(_ layer: LayerID, _ missing: Missing) throws(LibraryError) -> Bool {
        let isNew = try !database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [.id(layer)])
        let kin = "SELECT pair.other FROM (\(Self.pairs)) AS pair WHERE pair.device = ?"
        var wasShown = false
        for other in try database.rows(kin, [.id(missing.device)], { $0.text(0) }) {
            let known = SQLValue.text("\(LayerID.ofBand)\(other):\(missing.id):\(missing.layer.attachment)")
            if try database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [known]) { wasShown = true }
            let hide = "INSERT OR IGNORE INTO hidden_layers SELECT attachment_id, ?2 FROM hidden_layers WHERE layer_id = ?1"
            if isNew { try database.run(hide, [known, .id(layer)]) }
        }
        return wasShown && missing.parts.contains { $0.device != missing.device }
    }

    /// Removes the layers that their owners no longer share, or now share on another chart, and the layers of people who are no
    /// longer shown. They are not drawn from now on. Returns the changes made by owners, and how many layers were removed.
    public func removeUnshared(at now: Timestamp) throws(LibraryError) -> (changes: [LibraryChange], count: Int) {
        let gone = try database.rows(
            """
            SELECT layer_id, NOT \(Self.hasLeft) AND EXISTS (
                SELECT 1 FROM band_devices AS band WHERE band.device = layer.device AND \(Self.isShown)) AND NOT \(Self.isPart())
            FROM band_layers AS layer
            WHERE layer.device || ' ' || layer.id || ' ' || layer.chart
                NOT IN (SELECT owner || ' ' || id || ' ' || chart FROM (\(Self.shared)))
                AND NOT \(Self.isAwaited) ORDER BY layer_id
            """
        ) { (layer: LayerID($0.text(0)), isNews: $0.integer(1) != 0) }
        // Doubts about layers end when the layers are no longer shared.
        if try database.has("SELECT 1 FROM layer_doubts WHERE layer_id GLOB '\(LayerID.ofBand)*'") {
            try database.run(
                """
                DELETE FROM layer_doubts WHERE layer_id GLOB '\(LayerID.ofBand)*' AND layer_id NOT IN (
                    SELECT \(Self.layerID) FROM (\(Self.shared)) AS entry
                        JOIN (SELECT attachment_id, hash FROM attachment_charts
                            UNION SELECT attachment_id, layout FROM attachment_charts JOIN song_charts USING (hash)) ON hash = entry.chart)
                """)
        }
        guard !gone.isEmpty else { return ([], 0) }
        return try database.write { () throws(LibraryError) in
            var changes: [LibraryChange] = []
            for (layer, isNews) in gone {
                let gone = try layers.stopDrawing([layer], isNews: isNews, at: now)
                if isNews { changes += gone }
                try database.run("DELETE FROM band_layers WHERE layer_id = ?", [.id(layer)])
            }
            return (changes, gone.count)
        }
    }

    /// SQL condition: the marks of `layer` are still shared within `next`, a layer of another device of the musician. The shared
    /// `part` comes from the layer's own device, or is one of the objects that the layer was made of. `more` is a further
    /// condition on `part` and `next`.
    private static func isPart(where more: String = "1") -> String {
        """
        EXISTS (
            SELECT 1 FROM band_entries AS part JOIN (\(shared)) AS next ON (next.id, next.chart) = (part.id, part.chart)
            WHERE (part.id, part.chart) = (layer.id, layer.chart) AND next.owner <> layer.device
                AND (part.device = layer.device
                    OR instr(layer.object, part.object) > 0 AND (part.device, layer.device) IN (\(pairs)))
                AND instr(next.parts, part.device || ' ' || part.object || ' ') > 0 AND \(more))
        """
    }
    /// SQL condition: the other device's layer with the marks of `layer` has not arrived yet. Until then, `layer` is shown unchanged.
    private static let isAwaited = isPart(
        where: """
            NOT EXISTS (
                SELECT 1 FROM band_layers AS here
                WHERE here.layer_id = '\(LayerID.ofBand)' || next.owner
                        || substr(layer.layer_id, \(LayerID.ofBand.utf8.count + 1) + length(layer.device))
                    AND here.chart = next.chart AND instr(here.object, part.object) > 0)
            """)

    /// Returns whether somebody in the band shares the layer.
    public nonisolated static func isOfBand(_ layer: LayerID) -> Bool { layer.text.hasPrefix(LayerID.ofBand) }

    /// The device that shares the layer.
    public nonisolated static func device(of layer: LayerID) -> BandDevice? {
        guard isOfBand(layer) else { return nil }
        return BandDevice(checking: layer.text.dropFirst(LayerID.ofBand.count).prefix { $0 != ":" })
    }

    /// Longer objects are not read: twenty thousand points of a pen, or a few hundred signs, need less.
    public nonisolated static let longestObject = 512 << 10
    private static let mostTold = 20
    private static let mostNamed = 8
    /// At most this many layers of one owner are shown on a chart; a home shares no more.
    public nonisolated static let mostLayersOfAChart = 16
    private static let mostBytes = 16 << 20

    /// A player's name. Two people with the same name are distinguished by their devices' names or, if those are equal too, by the
    /// devices' ids.
    private static let person = """
        coalesce((
            SELECT band.person || ' (' || CASE WHEN max(other.device_name = band.device_name) OR band.device_name = ''
                THEN band.device ELSE band.device_name END || ')'
            FROM band_devices AS other
            WHERE other.person = band.person AND other.device <> band.device AND NOT other.has_left
                AND other.device NOT IN (SELECT name FROM band_left_out UNION ALL SELECT device FROM band_former)
                AND '=' || other.device NOT IN (SELECT name FROM band_left_out)
                AND (band.device, other.device) NOT IN (\(pairs))
            GROUP BY other.person), band.person) AS player
        """

    private static let layerID = "'\(LayerID.ofBand)' || entry.owner || ':' || entry.id || ':' || attachment_id"
}
