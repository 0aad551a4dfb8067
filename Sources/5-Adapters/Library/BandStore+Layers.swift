public import BandLayout
public import Catalogue
public import Model

/// The layers of marks that others share, kept among those of the service.
extension BandStore {
    /// A layer that is shared on a chart that is here, and whose present state is not among the layers.
    public struct Missing: Hashable, Sendable {
        /// One device's part of the layer.
        public struct Part: Hashable, Sendable {
            public let device: BandDevice
            public let object: Digest
            public let length: Int
        }

        /// Several if one musician drew on several devices: they are one layer.
        public let parts: [Part]
        public var length: Int { parts.reduce(0) { $0 + $1.length } }
        /// The layer without its marks.
        public let layer: Layer
        let device: BandDevice
        let id: String
        let chart: String
        /// Whether its musician has several devices.
        public let isOfSeveral: Bool
    }

    /// The layers that are shared, with the objects that each is made of. What one musician drew on several devices is one layer, under the
    /// name of the first.
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

    /// Some missing layers in a fixed order, after the id `last`. Only a limited number of one device counts, whatever it writes.
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

    /// Gives the layers that are here the present names of their owners and of the layers. Returns whether any name changed.
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

    /// A missing layer with its marks, their text, and why the layer cannot be read, if it cannot.
    public struct ArrivedLayer: Sendable {
        public let missing: Missing
        public let marks: [Mark]
        public let text: String
        public let fault: String?

        /// The objects that it was made of, some of which may not have arrived.
        let objects: String

        public init(_ missing: Missing, of parts: [Missing.Part], marks: [Mark], text: String, fault: String?) {
            (self.missing, self.marks, self.text, self.fault) = (missing, marks, text, fault)
            objects = parts.map(\.object.hex).joined(separator: " ")
        }
    }

    /// Takes over layers, as far as they can be believed. Returns what changed; very many changes, as when somebody joins, are reported as
    /// one, and only in the journal.
    public func adopt(_ found: [ArrivedLayer], at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        guard !found.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            var changes: [LibraryChange] = []
            for each in found {
                var layer = each.missing.layer
                layer.marks = each.marks
                // Marks that were never shown make nobody unready.
                if each.fault != nil, try !database.has("SELECT 1 FROM band_layers WHERE layer_id = ?", [.id(layer.id)]) { continue }
                let wasShown = each.missing.isOfSeveral ? try wasShownAsOthers(layer.id, each.missing) : false
                // The marks were erased on all devices together, so there is no doubt about it.
                if each.missing.parts.count > 1, each.fault == nil, each.marks.isEmpty {
                    changes += try layers.stopDrawing([layer.id], isNews: false, at: now)
                } else {
                    let news = try layers.update(ofBand: LayerStore.SentLayer(layer, text: each.text), fault: each.fault, at: now)
                    // The same marks under another name are no news.
                    changes += wasShown ? news.filter { if case .layerDoubted = $0 { true } else { false } } : news
                }
                // A layer in doubt is not noted, so it is looked at again until it is believed.
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

    /// Whether marks drawn on several devices are here as a layer of another one of these. A layer that was hidden stays hidden.
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

    /// Removes the layers that their owners no longer share, or share on another chart, and those of people who are not shown any more.
    /// They are not drawn from now on. Returns what their owners changed, and how many layers were removed.
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
        // What is in doubt of them is not, either.
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

    /// Whether the marks of a `layer` are still shared in a layer of another device of the same musician: those of the device itself, or
    /// those that the layer was made of. `more` is a condition on a `part` and on the `next` layer.
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
    /// Whether that other layer is not here yet with those marks: until then, this one is shown as it is.
    private static let isAwaited = isPart(
        where: """
            NOT EXISTS (
                SELECT 1 FROM band_layers AS here
                WHERE here.layer_id = '\(LayerID.ofBand)' || next.owner
                        || substr(layer.layer_id, \(LayerID.ofBand.utf8.count + 1) + length(layer.device))
                    AND here.chart = next.chart AND instr(here.object, part.object) > 0)
            """)

    /// Whether a layer is one that somebody in the band shares.
    public nonisolated static func isOfBand(_ layer: LayerID) -> Bool { layer.text.hasPrefix(LayerID.ofBand) }

    /// The device that shares it.
    public nonisolated static func device(of layer: LayerID) -> BandDevice? {
        guard isOfBand(layer) else { return nil }
        return BandDevice(checking: layer.text.dropFirst(LayerID.ofBand.count).prefix { $0 != ":" })
    }

    /// Longer objects are not read: twenty thousand points of a pen, or some hundred signs, need less.
    public nonisolated static let longestObject = 512 << 10
    private static let mostTold = 20
    private static let mostNamed = 8
    private static let mostLayersOfAChart = 4
    private static let mostBytes = 16 << 20

    /// A player's name: people of the same name are told apart by their devices' names, or if those are the same, too, by the ids.
    private static let person = """
        coalesce((
            SELECT band.person || ' (' || CASE WHEN max(other.device_name = band.device_name) OR band.device_name = ''
                THEN band.device ELSE band.device_name END || ')'
            FROM band_devices AS other
            WHERE other.person = band.person AND other.device <> band.device AND NOT other.has_left
                AND other.device NOT IN (SELECT name FROM band_left_out UNION ALL SELECT device FROM band_former)
                AND (band.device, other.device) NOT IN (\(pairs))
            GROUP BY other.person), band.person) AS player
        """

    private static let layerID = "'\(LayerID.ofBand)' || entry.owner || ':' || entry.id || ':' || attachment_id"
}
