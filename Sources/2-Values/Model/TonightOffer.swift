/// Tonight's set as a member of a band offers it to the others. Items and charts are named by ids, which are the same for everybody.
///
/// Anybody in a band may write one, so all words are cleaned, and everything has a limit.
public struct TonightOffer: Hashable, Sendable {
    /// An item in tonight's order.
    public struct Row: Hashable, Sendable {
        public let item: ItemID
        /// The title of an added item; empty for an item of the plan.
        public let title: String
        public let isLeftOut: Bool
        public let isMoved: Bool
        public let isAdded: Bool
        /// The chart of an added item, or the one that an item shows instead of its own.
        public let chart: AttachmentID?
        /// Where in that chart the item begins; `nil` for the first page.
        public let page: PageIndex?
        /// The key in which the item's song is read; `nil` for the plan's.
        public let key: String?
        public let remark: String?

        public init(
            _ item: ItemID, title: String = "", isLeftOut: Bool = false, isMoved: Bool = false, isAdded: Bool = false,
            chart: AttachmentID? = nil, page: PageIndex? = nil, key: String? = nil, remark: String? = nil
        ) {
            func shown(_ text: String?, _ most: Int) -> String? {
                text.map { $0.asShownLine(atMost: most) }.flatMap { $0.isEmpty ? nil : $0 }
            }
            (self.item, self.isLeftOut, self.isMoved, self.isAdded, self.chart) = (item, isLeftOut, isMoved, isAdded, chart)
            self.page = page.flatMap { chart != nil && (0...PageIndex.greatest).contains($0.value) ? $0 : nil }
            self.title = isAdded ? shown(title, 80) ?? "A song" : ""
            (self.key, self.remark) = (shown(key, 20), shown(remark, TonightSet.longestRemark))
        }

        fileprivate init(_ row: Tonight.Row) {
            let (item, isOther) = (row.item, row.isAdded || row.hasOtherChart)
            let drawn = item.song.flatMap { song in item.attachments.first { $0.id == AttachmentID(drawnFrom: song.id) } }
            // A song that is read in another key may have one more chart, which is in front and which the others have to draw themselves.
            let own = row.isReadOtherwise ? item.attachments.first { $0.id != drawn?.id } : nil
            self.init(
                row.id, title: item.title, isLeftOut: row.isLeftOut, isMoved: row.isMoved, isAdded: row.isAdded,
                chart: isOther ? (own ?? item.attachments.first)?.id : nil, page: isOther ? item.start : nil,
                key: row.isReadOtherwise ? drawn?.origin?.view.key : nil, remark: row.remark)
        }
    }

    /// What the plan is called on all devices of the band.
    public let plan: String
    public let rows: [Row]

    /// `nil` for what cannot be an offer, or is longer than an offer may be.
    public init?(of plan: String, _ rows: [Row]) {
        let ids = [plan] + rows.map(\.item.text) + rows.compactMap(\.chart?.text)
        guard (1...Self.mostItems).contains(rows.count), rows.count(where: { $0.chart != nil }) <= Self.mostCharts,
            ids.allSatisfy({ (1...Self.longestID).contains($0.utf8.count) }), Set(rows.map(\.item)).count == rows.count
        else { return nil }
        (self.plan, self.rows) = (plan, rows)
    }

    /// The offer of a plan as it is played tonight.
    public init?(of plan: String, _ tonight: Tonight) { self.init(of: plan, tonight.rows.map(Row.init)) }

    /// All charts that the offer names.
    public var charts: Set<AttachmentID> { Set(rows.compactMap(\.chart)) }

    /// More than any evening has.
    public static let mostItems = 200
    public static let mostCharts = 50
    private static let longestID = 200
}

/// What somebody in the band offers for a plan, as it would be here.
public struct OfferedTonight: Hashable, Sendable {
    public enum State: String, Sendable {
        case new
        /// It was used here, and is another one by now.
        case changed
        /// It is tonight's set here.
        case used
    }

    /// The device that offers it.
    public let from: String
    /// Who that is, for people.
    public let name: String
    /// Tells the offer from its other states.
    public let tag: String
    public let state: State
    /// The plan as it would be played.
    public let tonight: Tonight
    /// The titles of what cannot be here as it is offered.
    public let lacks: [String]
    /// Adopts all of it but the keys.
    public let edit: TonightEdit
    /// The keys in which songs would be read.
    public let keys: [ItemID: String]

    /// `plan` is the plan as its source has it, `present` the set that there is for it here. `charts` are items that show the charts that
    /// the offer names, as far as they are known here. `nil` if nothing of the offer can be here.
    public init?(
        _ offer: TonightOffer, from: String, name: String, tag: String, in plan: PlanContents, after present: TonightSet,
        finding charts: [AttachmentID: PlanItem]
    ) {
        var building = Building(plan, number: present.number + 1)
        for (place, row) in offer.rows.enumerated() { building.add(row, at: place, showing: row.chart.flatMap { charts[$0] }) }
        var set = building.whole
        set.used = TonightSet.Use(from: from, tag: tag, number: present.number + 1 + building.keys.count)
        let used = present.used.flatMap { $0.from == from ? $0 : nil }
        state = used.map { $0.tag != tag ? .changed : $0.number == present.number ? .used : .new } ?? .new
        edit = .use(set, building.items)
        set.readings = building.songs.map { TonightSet.Reading(song: $0) }
        guard let tonight = set.applied(to: plan, storing: building.items).tonight, tonight.differs else { return nil }
        self.tonight = tonight
        (self.from, self.name, self.tag, lacks, keys) = (from, name, tag, building.lacks, building.keys)
    }

    /// How many items differ from the plan.
    public var changes: Int { tonight.rows.count(where: \.differs) }
}

extension PlanItem {
    /// The item as tonight's set has it for this one of its charts.
    public func showing(_ attachment: Attachment) -> PlanItem {
        var shown = self
        (shown.attachments, shown.kind, shown.description, shown.start) = ([attachment], "song", nil, nil)
        // A chart that is drawn here stays as it is drawn, although nobody chose a view of its song in this plan.
        shown.song?.isShown = attachment.id.song != nil
        if let view = attachment.origin?.view {
            if let key = view.key { shown.keyName = key }
            shown.capo = view.capo
        }
        return shown
    }
}

/// A set that is put together from an offer. What the offer says of items that the plan here does not have is not in it.
private struct Building {
    private let planned: [ItemID: PlanItem]
    private let number: Int
    private var set = TonightSet()
    private var order: [ItemID] = []
    private var moved: Set<ItemID> = []
    private(set) var items: [PlanItem] = []
    private(set) var lacks: [String] = []
    private(set) var keys: [ItemID: String] = [:]
    private(set) var songs: [SongID] = []

    init(_ plan: PlanContents, number: Int) {
        let rows = TonightSet().applied(to: plan, storing: []).tonight?.rows ?? []
        planned = Dictionary(rows.map { ($0.id, $0.item) }) { first, _ in first }
        self.number = number
    }

    mutating func add(_ row: TonightOffer.Row, at place: Int, showing found: PlanItem?) {
        var found = found
        // The id that the item has on the other device may be another item's here.
        found?.id = ItemID("tonight-\(number)-\(place)")
        // A song within a book is called as its musician calls it.
        if row.page != nil, row.isAdded { found?.title = row.title }
        let own = planned[row.item]
        guard row.isAdded == (own == nil) else { return }
        let title = own?.title ?? found?.title ?? row.title
        var isLacking = row.chart != nil && found == nil
        let id: ItemID
        if own != nil {
            id = row.item
            if row.isLeftOut { set.leftOut.append(row.item) }
            if let found { set.parts.append(TonightSet.Part(item: id, shown: found.id)) }
        } else {
            id = ItemID("tonight-\(number)-\(place)")
            isLacking = found == nil
            found = found ?? PlanItem(id: id, sequence: 0, title: row.title, kind: "song", description: "Its chart is not here.")
            set.added.append(id)
        }
        if let found { items.append(found) }
        if let page = row.page, let found, !isLacking {
            set.starts = (set.starts ?? []) + [TonightSet.Start(item: found.id, page: page)]
        }
        order.append(id)
        if row.isMoved || row.isAdded { moved.insert(id) }
        if let remark = row.remark { set.remarks.append(TonightSet.Remark(item: id, text: remark)) }
        if let key = row.key, !row.isLeftOut {
            if let song = (found ?? own)?.song?.id {
                keys[id] = key
                songs.append(song)
            } else {
                isLacking = true
            }
        }
        if isLacking { lacks.append(title) }
    }

    /// The set with its moves, which need the whole order.
    var whole: TonightSet {
        var set = set
        set.moves = order.indices.filter { moved.contains(order[$0]) }.map {
            TonightSet.Move(item: order[$0], after: order[..<$0].reversed())
        }
        return set
    }
}
