public import Catalogue
public import Model

/// The places of a layer's marks that are drawn elsewhere than where they were made, and what identifies these places.
public struct FollowedPlaces: Hashable, Sendable {
    package let version: String
    package let marks: [String: FollowedMark]

    package init(version: String, marks: [String: FollowedMark]) { (self.version, self.marks) = (version, marks) }

    /// The mark as it is drawn; `nil` if it is not drawn. The second value tells whether it is drawn where it was made.
    package func drawn(_ mark: Mark) -> (mark: Mark?, isWhereItWas: Bool) {
        guard let found = marks[mark.placeSum] else { return (mark, true) }
        return (found.drawn(mark), found.fate == .kept)
    }
}

/// Where marks are on a chart that replaced the one that they were made on. Files and layers of others are never changed for that.
public final class FollowedMarkStore: Store {
    let charts: ChartStore
    let parts: PartStore

    /// The places that were read last, by their version.
    private var known: [String: [String: FollowedMark]] = [:]

    init(_ catalogue: OpenCatalogue, charts: ChartStore, parts: PartStore) {
        (self.charts, self.parts) = (charts, parts)
        super.init(catalogue)
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
        guard layers.contains(where: { all[$0] != nil }), let chart = try onlyChart(of: attachment) else { return [:] }
        var found = Dictionary(layers.compactMap { layer in all[layer]?[chart.digest.hex].map { (layer, $0) } }) { first, _ in first }
        let own = try parts.layers(of: attachment)
        let joined = own.compactMap { all[$0]?[chart.digest.hex] }.joined(separator: " ")
        if !joined.isEmpty { for part in own { found[part] = joined } }
        return found
    }

    /// The places of a layer's marks that are drawn on the attachment's chart; `nil` if they are drawn where they were made.
    func places(of layer: LayerID, on attachment: AttachmentID) throws(LibraryError) -> FollowedPlaces? {
        let all = try versions()
        guard !all.isEmpty else { return nil }
        let layers = LocalFile.path(ofLayer: layer) == nil ? [layer] : [layer] + (try parts.layers(of: attachment))
        guard let version = try versions(of: layers, on: attachment, among: all)[layer] else { return nil }
        var marks: [String: FollowedMark] = [:]
        for part in version.split(separator: " ").map(String.init) {
            if known[part] == nil {
                let text = try database.row("SELECT marks FROM followed_layers WHERE version = ?", [.text(part)]) { $0.text(0) }
                known[part] = try read(text ?? "[]")
            }
            marks.merge(known[part] ?? [:]) { first, _ in first }
        }
        return FollowedPlaces(version: version, marks: marks)
    }

    /// The places of the marks of the musician's own layer, in all its parts.
    public func ownPlaces(on attachment: AttachmentID) throws(LibraryError) -> FollowedPlaces? {
        try parts.layers(of: attachment).first.flatMap { part throws(LibraryError) in try places(of: part, on: attachment) }
    }

    /// Whether any of a layer's marks is not drawn where it was made.
    func isMoving(_ layer: LayerID, on chart: ChartHash, of attachment: AttachmentID) throws(LibraryError) -> Bool {
        let isMoving = try database.has(
            "SELECT 1 FROM followed_layers WHERE layer_id = ? AND chart = ? AND version IS NOT NULL", [.id(layer), .hash(chart)])
        guard isMoving else { return false }
        return try onlyChart(of: attachment) == chart
    }

    /// The attachment's chart; `nil` if it has none, or a different one for each use, which all share its marks.
    func onlyChart(of attachment: AttachmentID) throws(LibraryError) -> ChartHash? {
        let charts = Set(try charts.all(of: attachment))
        return charts.count == 1 ? charts.first : nil
    }

    // MARK: - What is stored

    /// What became of a layer's marks on a chart; `nil` if they were not followed there.
    func layer(_ layer: LayerID, on chart: ChartHash) throws(LibraryError) -> FollowedLayer? {
        try self.layers(where: "layer_id = ? AND chart = ?", [.id(layer), .hash(chart)]).first
    }

    /// What became of a layer's marks on the charts that followed `former`, the latest last.
    func layers(_ layer: LayerID, from former: ChartHash) throws(LibraryError) -> [FollowedLayer] {
        try layers(where: "layer_id = ? AND former = ?", [.id(layer), .hash(former)])
    }

    /// What became of the marks of an attachment's layers on one of its charts.
    func layers(on chart: ChartHash, of attachment: AttachmentID) throws(LibraryError) -> [FollowedLayer] {
        try layers(
            where: """
                chart = ?1 AND layer_id IN (
                    SELECT id FROM layers WHERE attachment_id = ?2
                    UNION ALL SELECT 'file:' || path FROM local_files WHERE attachment_id = ?2)
                """, [.hash(chart), .id(attachment)])
    }

    /// The charts from which marks of the attachment's layers followed the music.
    public func formerCharts(of attachment: AttachmentID) throws(LibraryError) -> [ChartHash] {
        var found: Set<ChartHash> = []
        for chart in try charts.all(of: attachment) {
            for layer in try layers(on: chart, of: attachment) { found.formUnion(layer.marks.values.map { $0.chart ?? layer.former }) }
        }
        return found.sorted()
    }

    private func layers(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [FollowedLayer] {
        try database.rows(
            "SELECT layer_id, chart, former, method, taken_back, marks FROM followed_layers WHERE \(condition) ORDER BY rowid", values
        ) { row throws(LibraryError) in
            FollowedLayer(
                layer: LayerID(row.text(0)), chart: try database.hash(row.text(1)), former: try database.hash(row.text(2)),
                method: row.integer(3), isTakenBack: row.integer(4) != 0, marks: Array(try read(row.text(5)).values))
        }
    }

    private func read(_ text: String) throws(LibraryError) -> [String: FollowedMark] {
        Dictionary(try StoredJSON.read([FollowedMark].self, text, in: database).map { ($0.sum, $0) }) { first, _ in first }
    }

    /// Stores what became of a layer's marks; must be called inside a transaction.
    func store(_ layer: FollowedLayer) throws(LibraryError) {
        let marks = try StoredJSON.write(layer.marks.values.sorted { $0.sum < $1.sum }, in: database)
        let version = layer.isMoving ? String(SHA256.digest(of: "\(layer.layer) \(layer.chart) \(marks)").hex.prefix(16)) : nil
        try database.put(
            "followed_layers", key: "layer_id, chart",
            [
                "layer_id": .id(layer.layer), "chart": .hash(layer.chart), "former": .hash(layer.former),
                "method": .integer(layer.method), "taken_back": .flag(layer.isTakenBack), "version": .optional(version),
                "marks": .text(marks),
            ])
    }

    /// Changes what became of a layer's marks on a chart, if they were followed there; must be called inside a transaction.
    @discardableResult
    func change(
        _ layer: LayerID, on chart: ChartHash, _ change: (inout FollowedLayer) throws(LibraryError) -> Void
    ) throws(LibraryError) -> Bool {
        guard var found = try self.layer(layer, on: chart) else { return false }
        try change(&found)
        try store(found)
        return true
    }

    /// Draws the marks whose places are not certain where they were made, since the user accepts them there.
    func acceptOpen(of layer: LayerID?, on attachment: AttachmentID) throws(LibraryError) {
        for chart in Set(try charts.all(of: attachment)) {
            for followed in try layers(on: chart, of: attachment) where layer == nil || layer == followed.layer {
                try change(followed.layer, on: chart) { layer throws(LibraryError) in
                    for (sum, mark) in layer.marks where mark.fate == .open {
                        layer.marks[sum] = FollowedMark(sum, .kept, former: mark.chart)
                    }
                }
            }
        }
    }

    /// Deletes what is known of charts that are no longer stored.
    func removeUnused() throws(LibraryError) {
        try database.run("DELETE FROM followed_layers WHERE chart NOT IN (SELECT hash FROM charts)")
    }
}
