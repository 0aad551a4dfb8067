public import Catalogue
public import Model

/// The places of a layer's marks that are drawn elsewhere than where they were made, and what identifies these places.
public struct FollowedPlaces: Hashable, Sendable {
    package let version: String
    package let marks: [String: FollowedMark]

    package init(version: String, marks: [String: FollowedMark]) { (self.version, self.marks) = (version, marks) }

    /// The mark as it is drawn; `nil` if it is not drawn. The second value tells whether it is drawn where it was made.
    package func drawn(_ mark: Mark) -> (mark: Mark?, isWhereItWas: Bool) {
        guard let found = marks[mark.placeKey] else { return (mark, true) }
        return (found.drawn(mark), found.fate == .kept)
    }
}

/// Where marks are on a chart that replaced the one that they were made on. Files and layers of others are never changed for that.
public final class FollowedMarkStore: Store {
    let parts: PartStore

    /// The entries that were read last of each layer and chart, by their text.
    private var known: [String: (text: String, marks: [FollowedMark])] = [:]

    init(_ catalogue: OpenCatalogue, parts: PartStore) {
        self.parts = parts
        super.init(catalogue)
    }

    /// What the places of those marks of the musician's own layer are stored under that name the chart that they were made on: they pass
    /// from part to part of the layer.
    static func own(_ attachment: AttachmentID) -> LayerID { LayerID("own:" + attachment.text) }

    /// The layer, as people see it, whose places are stored under an id.
    func seen(_ layer: LayerID, on attachment: AttachmentID) throws(LibraryError) -> LayerID? {
        try layer == Self.own(attachment) ? parts.layers(of: attachment).first : layer
    }

    // MARK: - What is drawn

    /// The versions of all places that differ from where marks were made, by layer and chart. There are few: only of replaced charts.
    func versions() throws(LibraryError) -> [LayerID: [String: String]] {
        let rows = try database.rows("SELECT layer_id, chart, version FROM followed_layers WHERE version IS NOT NULL") {
            (LayerID($0.text(0)), [$0.text(1): $0.text(2)])
        }
        return Dictionary(rows) { $0.merging($1) { first, _ in first } }
    }

    /// Which version of the places of these layers is drawn on the attachment's chart; layers drawn where they were made are left out.
    /// Marks pass from one part of the own layer to another one, so the places in all parts count for each.
    func versions(
        of layers: [LayerID], on attachment: AttachmentID, among all: [LayerID: [String: String]]
    ) throws(LibraryError) -> [LayerID: String] {
        guard ([Self.own(attachment)] + layers).contains(where: { all[$0] != nil }), let chart = try onlyChart(of: attachment)
        else { return [:] }
        var found = Dictionary(layers.compactMap { layer in all[layer]?[chart.digest.hex].map { (layer, $0) } }) { first, _ in first }
        let own = try parts.layers(of: attachment)
        let joined = (own + [Self.own(attachment)]).compactMap { all[$0]?[chart.digest.hex] }.joined(separator: " ")
        if !joined.isEmpty { for part in own { found[part] = joined } }
        return found
    }

    /// The places of a layer's marks that are drawn on the attachment's chart; `nil` if they are drawn where they were made.
    func places(of layer: LayerID, on attachment: AttachmentID) throws(LibraryError) -> FollowedPlaces? {
        let all = try versions()
        guard !all.isEmpty, let version = try versions(of: [layer], on: attachment, among: all)[layer],
            let chart = try onlyChart(of: attachment)
        else { return nil }
        let own = try parts.layers(of: attachment)
        var marks: [String: FollowedMark] = [:]
        for id in own.contains(layer) ? own + [Self.own(attachment)] : [layer] {
            if let found = try self.layer(id, on: chart), found.isMoving { marks.merge(found.marks) { first, _ in first } }
        }
        return FollowedPlaces(version: version, marks: marks)
    }

    /// The places of the marks of the musician's own layer, in all its parts.
    public func ownPlaces(on attachment: AttachmentID) throws(LibraryError) -> FollowedPlaces? {
        try parts.layers(of: attachment).first.flatMap { part throws(LibraryError) in try places(of: part, on: attachment) }
    }

    /// The attachment's chart; `nil` if it has none, or a different one for each use, which all share its marks.
    func onlyChart(of attachment: AttachmentID) throws(LibraryError) -> ChartHash? {
        let charts = try charts(of: attachment)
        return charts.count == 1 ? charts.first : nil
    }

    private func charts(of attachment: AttachmentID) throws(LibraryError) -> [ChartHash] {
        try database.rows("SELECT DISTINCT hash FROM attachment_charts WHERE attachment_id = ?", [.id(attachment)]) {
            row throws(LibraryError) in try database.hash(row.text(0))
        }
    }

    // MARK: - What is stored

    /// What became of a layer's marks on a chart; `nil` if nothing is known of that.
    func layer(_ layer: LayerID, on chart: ChartHash) throws(LibraryError) -> FollowedLayer? {
        try self.layers(where: "layer_id = ? AND chart = ?", [.id(layer), .hash(chart)]).first
    }

    /// What became of the marks of an attachment's layers on one of its charts.
    func layers(on chart: ChartHash, of attachment: AttachmentID) throws(LibraryError) -> [FollowedLayer] {
        try layers(
            where: """
                chart = ?1 AND layer_id IN (
                    SELECT id FROM layers WHERE attachment_id = ?2
                    UNION ALL SELECT 'file:' || path FROM local_files WHERE attachment_id = ?2
                    UNION ALL SELECT 'own:' || ?2)
                """, [.hash(chart), .id(attachment)])
    }

    /// The charts from which marks of the attachment's layers followed the music.
    public func formerCharts(of attachment: AttachmentID) throws(LibraryError) -> [ChartHash] {
        var found: Set<ChartHash> = []
        for chart in try charts(of: attachment) {
            for layer in try layers(on: chart, of: attachment) { found.formUnion(layer.stored.map(layer.chart(of:))) }
        }
        return found.sorted()
    }

    private func layers(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [FollowedLayer] {
        try database.rows(
            "SELECT layer_id, chart, former, method, taken_back, marks FROM followed_layers WHERE \(condition) ORDER BY rowid", values
        ) { row throws(LibraryError) in
            let (key, text) = ("\(row.text(1)) \(row.text(0))", row.text(5))
            if known[key]?.text != text { known[key] = (text, try StoredJSON.read([FollowedMark].self, text, in: database)) }
            return FollowedLayer(
                layer: LayerID(row.text(0)), chart: try database.hash(row.text(1)), former: try database.hash(row.text(2)),
                method: row.integer(3), isTakenBack: row.integer(4) != 0, marks: known[key]?.marks ?? [])
        }
    }

    /// Stores what became of a layer's marks; must be called inside a transaction.
    func store(_ layer: FollowedLayer) throws(LibraryError) {
        let marks = try StoredJSON.write(layer.stored, in: database)
        let version = layer.isMoving ? String(SHA256.digest(of: "\(layer.layer) \(layer.chart) \(marks)").hex.prefix(16)) : nil
        try database.put(
            "followed_layers", key: "layer_id, chart",
            [
                "layer_id": .id(layer.layer), "chart": .hash(layer.chart), "former": .hash(layer.former),
                "method": .integer(layer.method), "taken_back": .flag(layer.isTakenBack), "version": .optional(version),
                "marks": .text(marks),
            ])
    }

    /// Notes, when a chart replaces `former`, which marks were there: they were made on `former` or on one before. Of marks that come later,
    /// that is not known, unless they name their chart. Must be called inside a transaction, before the marks belong to the new chart.
    func note(_ attachment: AttachmentID, file: String? = nil, on former: ChartHash, replacedBy chart: ChartHash) throws(LibraryError) {
        let own = try parts.layers(of: attachment)
        let files = try database.rows(
            """
            SELECT path, marks, marked_on IS NULL OR ?3 IN (marked_on, accepted_on) FROM local_files
            WHERE attachment_id = ?1 AND marks <> '[]' AND coalesce(?2, path) = path
            """, [.id(attachment), .optional(file), .hash(former)]
        ) { (LocalFile.layerID(ofFile: $0.text(0)), $0.text(1), $0.integer(2) != 0) }
        for (layer, marks, isOfFormer) in files {
            let isPart = own.contains(layer), before = try self.layer(layer, on: former)
            // Another machine may have drawn in the other parts, and on either chart while nobody noted anything.
            guard !isPart || own.count == 1, before != nil || isOfFormer else { continue }
            var now = try self.layer(layer, on: chart) ?? FollowedLayer(layer: layer, chart: chart, former: former)
            for mark in try MarksText.read(marks, of: layer) where now[mark.placeKey] == nil && !(isPart && mark.on != nil) {
                let known = before?[mark.placeKey]
                let origin = known.flatMap { known in before?.chart(of: known) } ?? former
                guard origin != chart else { continue }
                now[mark.placeKey] =
                    switch (known?.fate, known?.word) {
                    case (.left, _): FollowedMark(mark.placeKey, .left, former: origin, word: .decided)
                    // A person found it right there.
                    case (.kept, .decided): FollowedMark(mark.placeKey, .kept, former: former, word: .known)
                    // A program that did not know where it was made had it stay.
                    case (.kept, nil): FollowedMark(mark.placeKey, .kept, former: origin)
                    default: FollowedMark(mark.placeKey, .kept, former: origin, word: .known)
                    }
            }
            try store(now)
        }
        guard file == nil else { return }
        try noteOwn(attachment, on: former, replacedBy: chart)
    }

    /// Marks of the own layer say where they were made. What a person decided of them stays known: which are left out on any version, and
    /// which are right where they are on `former`.
    private func noteOwn(_ attachment: AttachmentID, on former: ChartHash, replacedBy chart: ChartHash) throws(LibraryError) {
        let id = Self.own(attachment)
        let all = try layers(where: "layer_id = ?", [.id(id)])
        guard !all.isEmpty else { return }
        var now = all.first { $0.chart == chart } ?? FollowedLayer(layer: id, chart: chart, former: former)
        for before in all where before.chart != chart {
            for mark in before.stored where now[mark.sum] == nil && !mark.sum.hasSuffix(chart.beginning) {
                let origin = mark.fate == .kept && mark.word == .decided ? before.chart : before.chart(of: mark)
                if mark.fate == .left {
                    now[mark.sum] = FollowedMark(mark.sum, .left, at: mark.place, former: origin, word: .decided)
                } else if before.chart == former, origin != chart, !mark.sum.hasSuffix(origin.beginning) {
                    now[mark.sum] = FollowedMark(mark.sum, .kept, former: origin, word: .known)
                }
            }
        }
        try store(now)
    }

    /// Keeps what is known of all marks on `former` for a chart that has each word in the same place; must be called inside a transaction.
    func copy(_ attachment: AttachmentID, from former: ChartHash, to chart: ChartHash) throws(LibraryError) {
        for known in try layers(on: former, of: attachment) {
            guard try layer(known.layer, on: chart) == nil else { continue }
            try store(
                FollowedLayer(
                    layer: known.layer, chart: chart, former: known.former, method: known.method, isTakenBack: known.isTakenBack,
                    marks: known.stored))
        }
    }

    /// Deletes what is known of charts that are no longer stored.
    func removeUnused() throws(LibraryError) {
        try database.run("DELETE FROM followed_layers WHERE chart NOT IN (SELECT hash FROM charts)")
    }
}
