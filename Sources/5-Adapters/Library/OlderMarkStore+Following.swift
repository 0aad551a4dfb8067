public import Catalogue
import JSON
import LayerJoin
public import Model

/// Marks whose music is to be found in their chart's present version.
public struct MarksToFollow: Sendable {
    /// A mark as it was made, and as it is drawn on the chart that it was made on.
    public struct One: Sendable {
        let key: String
        public let made: Mark
        public let drawn: Mark
    }

    public let attachment: AttachmentID
    public let chart: ChartHash
    public let former: ChartHash
    /// What their places are stored under.
    let layer: LayerID
    public let marks: [One]

    /// The places that were found, one for each of `marks` in order.
    public func found(_ places: [(place: MarkPlace?, isSure: Bool)]) -> [FollowedMark] {
        zip(marks, places).map { FollowedMark($0.key, $1.isSure ? .moved : .open, at: $1.place, former: former) }
    }
}

extension OlderMarkStore {
    /// A mark as it was made, with its `placeKey`.
    struct Made {
        let key: String
        let mark: Mark
    }

    /// Marks of a layer that were made on another chart than their attachment has now, and that nobody has decided about.
    struct Older {
        let attachment: AttachmentID
        let layer: LayerID
        /// `nil` if the chart was never here.
        let former: ChartHash?
        let chart: ChartHash
        /// What the places of the marks are stored under, and what is known of them.
        let id: LayerID
        let known: FollowedLayer?
        let marks: [Made]

        /// Whether the marks are of the musician's own layer, and name the chart that they were made on.
        var isOwn: Bool { id != layer }

        func pair(_ page: PageIndex) -> PagePair? { former.map { PagePair(former: $0, chart: chart, page: page) } }

        var pages: Set<PageIndex> { Set(marks.map(\.mark.page)) }

        func outdated(_ pages: some Collection<PageIndex>, areDrawn: Bool = true) -> OutdatedMarks {
            OutdatedMarks(
                attachment: attachment, chart: chart, layer: layer, former: former, pages: pages.sorted(), areDrawn: areDrawn)
        }

        /// Whether the mark is known to have been made on `former`, and its music is to be found with this version of the method.
        func isToFollow(_ mark: Made, method: Int) -> Bool {
            guard let known, let entry = known[mark.key] else { return isOwn }
            return entry.word == .known || entry.word == nil && entry.fate != .kept && known.method != method
        }
    }

    /// Where a mark was made.
    private enum Origin {
        /// On the present chart, or on one that has each word in the same place.
        case present
        case chart(ChartHash)
        /// On a chart that was never here.
        case unknown
    }

    /// The marks that were made on other charts, by layer and chart; of all attachments, or of one.
    func olderMarks(of attachment: AttachmentID? = nil) throws(LibraryError) -> [Older] {
        var found: [Older] = []
        var read: Set<LayerID> = []
        for all in try all(of: attachment) {
            for (layer, former) in all.layers.sorted(by: { $0.key < $1.key }) {
                let known = try followed.layer(layer, on: all.chart)
                read.insert(layer)
                // If it was noted which marks were there when the chart was replaced, all others came later.
                found += try older(all.attachment, layer, layer, all.chart, known) { mark in
                    guard let known else { return .chart(former) }
                    return known[mark.key].map { .chart(known.chart(of: $0)) } ?? .present
                }
            }
        }
        for (attachment, chart) in try chartsWithOwnLayers(of: attachment) {
            guard let layer = try followed.parts.layers(of: attachment).first else { continue }
            var charts: [String: Origin] = [:]
            let id = FollowedMarkStore.own(attachment)
            let known = try followed.layer(id, on: chart)
            read.insert(id)
            found += try older(attachment, layer, id, chart, known) { mark throws(LibraryError) in
                guard let on = mark.mark.on, on != chart.beginning else { return .present }
                // A person may have found the mark right on a chart in between.
                if let known, let entry = known[mark.key], entry.former != nil { return .chart(known.chart(of: entry)) }
                if let known = charts[on] { return known }
                let origin = try self.origin(on, otherThan: chart)
                charts[on] = origin
                return origin
            }
        }
        if attachment == nil { made = made.filter { read.contains($0.key) } }
        return found
    }

    private func older(
        _ attachment: AttachmentID, _ layer: LayerID, _ id: LayerID, _ chart: ChartHash, _ known: FollowedLayer?,
        madeOn origin: (Made) throws(LibraryError) -> Origin
    ) throws(LibraryError) -> [Older] {
        var groups: [ChartHash?: [Made]] = [:]
        for mark in try made(of: id, on: attachment) {
            // Former programs noted no word for what a person left out.
            let entry = known?[mark.key]
            guard entry?.word != .decided, entry?.fate != .left else { continue }
            switch try origin(mark) {
            case .chart(let former) where former != chart: groups[former, default: []].append(mark)
            case .unknown: groups[nil, default: []].append(mark)
            case .chart, .present: continue
            }
        }
        return groups.sorted { $0.key?.digest.hex ?? "" < $1.key?.digest.hex ?? "" }.map { former, marks in
            Older(attachment: attachment, layer: layer, former: former, chart: chart, id: id, known: known, marks: marks)
        }
    }

    /// The chart whose hash begins like this, as the origin of marks on `present`.
    private func origin(_ beginning: String, otherThan present: ChartHash) throws(LibraryError) -> Origin {
        let found = try database.row(
            """
            SELECT hash, EXISTS (SELECT 1 FROM song_charts AS own JOIN song_charts AS other USING (layout)
                WHERE own.hash = charts.hash AND other.hash = ?2)
            FROM charts WHERE hash >= ?1 AND hash < ?1 || 'g'
            """, [.text(beginning), .hash(present)]
        ) { row throws(LibraryError) in (hash: try database.hash(row.text(0)), isTheSame: row.integer(1) != 0) }
        if let found { return found.isTheSame ? .present : .chart(found.hash) }
        // Every machine draws words and chords in bytes of its own.
        return try database.has("SELECT 1 FROM song_charts WHERE hash = ?", [.hash(present)]) ? .present : .unknown
    }

    /// The marks whose places are stored under an id, as they were made: those of the own layer that name another chart than the present
    /// one, in all independent states, or those of one layer.
    func made(of id: LayerID, on attachment: AttachmentID) throws(LibraryError) -> [Made] {
        let isOwn = id == FollowedMarkStore.own(attachment)
        let present = isOwn ? try followed.onlyChart(of: attachment)?.beginning : nil
        let state = isOwn ? try followed.parts.version(of: attachment) : try drawings.stored(id)?.version ?? ""
        let version = [state, present ?? ""].joined(separator: " ")
        if let known = made[id], known.version == version { return known.marks }
        let marks: [Mark]
        if isOwn {
            let layer = LayerPart.joined(try followed.parts.all(of: attachment).map(\.part))
            marks = (layer.marks + layer.also).compactMap { value in
                value.mark.flatMap { try? JSONReader.decode(Mark.self, from: $0.bytes) }
            }.filter { $0.on != nil && $0.on != present }
        } else {
            let isPart = try followed.parts.layers(of: attachment).contains(id)
            marks = try drawings.madeMarks(of: id).filter { !isPart || $0.on == nil }
        }
        let found = marks.map { Made(key: $0.placeKey, mark: $0) }
        made[id] = (version, found)
        return found
    }

    /// The marks that are to follow the music: it is known that they were made on another chart, both charts are here, and the pages look
    /// different. `comparisons` are not stored yet.
    public func marksToFollow(given comparisons: [PagePair: Bool] = [:], method: Int) throws(LibraryError) -> [MarksToFollow] {
        try database.read { () throws(LibraryError) in
            var found: [MarksToFollow] = []
            for older in try olderMarks() {
                var marks: [Made] = []
                for mark in older.marks where older.isToFollow(mark, method: method) {
                    guard let pair = older.pair(mark.mark.page), try differs(pair, given: comparisons) == true else { continue }
                    marks.append(mark)
                }
                guard let former = older.former, !marks.isEmpty, try isToFollow(older, from: former) else { continue }
                let drawn = try drawings.drawn(marks.map(\.mark), of: older.layer, on: former)
                found.append(
                    MarksToFollow(
                        attachment: older.attachment, chart: older.chart, former: former, layer: older.id,
                        marks: zip(marks, drawn).map { MarksToFollow.One(key: $0.key, made: $0.mark, drawn: $1) }))
            }
            return found
        }
    }

    private func isToFollow(_ older: Older, from former: ChartHash) throws(LibraryError) -> Bool {
        guard try followed.onlyChart(of: older.attachment) == older.chart else { return false }
        guard try charts.hasBytes(of: former), try charts.hasBytes(of: older.chart) else { return false }
        return try !drawings.hiddenLayers(of: older.attachment).contains(older.layer)
    }

    /// Stores where marks are on their present chart, unless their attachment has another one now.
    func store(_ found: [FollowedMark], of marks: MarksToFollow, method: Int) throws(LibraryError) {
        guard try followed.onlyChart(of: marks.attachment) == marks.chart else { return }
        try change(marks.layer, on: marks.chart, madeOn: marks.former) { $0.add(found, method: method) }
    }

    /// Changes what is known of a layer's marks on a chart; must be called inside a transaction.
    func change(
        _ layer: LayerID, on chart: ChartHash, madeOn former: ChartHash, _ change: (inout FollowedLayer) -> Void
    ) throws(LibraryError) {
        var known = try followed.layer(layer, on: chart) ?? FollowedLayer(layer: layer, chart: chart, former: former)
        change(&known)
        try followed.store(known)
    }
}
