/// What a musician has changed in a plan for one evening. It consists of changes to the plan's items, and never of a copy of them, so
/// that whatever the service changes meanwhile still arrives.
public struct TonightSet: Hashable, Sendable, Codable {
    /// An item that stands elsewhere tonight.
    public struct Move: Hashable, Sendable, Codable {
        public var item: ItemID
        /// All items that stood before it, nearest first: if the nearest is gone, the next one takes its place. Empty if the item moves to
        /// the top.
        public var after: [ItemID]
    }

    /// An item that shows other charts tonight: the charts of `shown`, an item that is stored for this purpose.
    public struct Part: Hashable, Sendable, Codable {
        public var item: ItemID
        public var shown: ItemID
    }

    public struct Remark: Hashable, Sendable, Codable {
        public var item: ItemID
        public var text: String
    }

    /// An item as it was when the musician last changed something: an item that is not among these is new.
    public struct Known: Hashable, Sendable, Codable {
        public var item: ItemID
        public var title: String
    }

    /// A song that is read in another way tonight, and the musician's choice for this plan from before.
    public struct Reading: Hashable, Sendable, Codable {
        public var song: SongID
        public var former: SongView?
    }

    /// A stored item that begins within its chart.
    public struct Start: Hashable, Sendable, Codable {
        public var item: ItemID
        public var page: PageIndex
    }

    /// The band member's offer that this set was made from.
    public struct Use: Hashable, Sendable, Codable {
        /// The device that offered the set, and the tag of the state that it offered.
        public var from: String
        public var tag: String
        /// The set's number right after the whole offer was adopted. Once the set has another number, the musician has changed it.
        public var number: Int
    }

    /// Counts the changes. Each request for a change states the number that its sender saw, so that no change is made blindly.
    public internal(set) var number = 0
    public internal(set) var leftOut: [ItemID] = []
    public internal(set) var moves: [Move] = []
    /// The ids of the items that are not in the plan.
    public internal(set) var added: [ItemID] = []
    public internal(set) var parts: [Part] = []
    public internal(set) var remarks: [Remark] = []
    public internal(set) var readings: [Reading] = []
    public internal(set) var known: [Known] = []
    /// Missing in sets that older programs wrote.
    public internal(set) var starts: [Start]?
    /// Set if the band is offered this set.
    public internal(set) var isOffered: Bool?
    public internal(set) var used: Use?

    public init() {}

    /// Stands for a stored set that cannot be read. It changes nothing, and has a number that no other set has, so a request to replace it
    /// proves that its sender saw that the set cannot be read.
    public static var unreadable: TonightSet {
        var set = TonightSet()
        set.number = -1
        return set
    }

    public var isUnreadable: Bool { number < 0 }

    /// The ids of the items that are stored for this set.
    public var stored: Set<ItemID> { Set(added + parts.map(\.shown)) }

    /// Whether nothing is changed for tonight.
    public var isEmpty: Bool {
        leftOut.isEmpty && moves.isEmpty && added.isEmpty && parts.isEmpty && remarks.isEmpty && readings.isEmpty
    }

    /// The most characters of a remark, which has to be read while a song begins.
    public static let longestRemark = 200
}

/// One change of tonight's set.
public enum TonightEdit: Hashable, Sendable {
    /// Leaves an item out, or puts it back. An added item that is left out is no longer in the set.
    case leaveOut(ItemID, Bool)
    /// Moves an item to the place after another one, or to the beginning if there is no `after`.
    case move(ItemID, after: ItemID?)
    /// Adds an item after another one, or at the beginning if there is no `after`.
    case add(PlanItem, after: ItemID?)
    /// Has an item show the charts of the given item, or its own charts if `nil`.
    case show(PlanItem?, at: ItemID)
    /// Notes that an item's song is read in another way, with the choice from before.
    case read(ItemID, former: SongView?)
    /// Notes that an item's song is read as before.
    case readAsBefore(ItemID)
    /// Sets an item's remark; an empty text removes the remark.
    case remark(ItemID, String)
    /// Takes back everything.
    case asPlanned
    /// Replaces the set by one that the band offers, with the items that it needs.
    case use(TonightSet, [PlanItem])
    /// Offers the set to the band, or withdraws the offer. An empty set cannot be offered.
    case offer(Bool)
}

/// A plan's items as they are played tonight, together with those that are left out.
public struct Tonight: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        /// Names the item in changes. Equal to the item's own id, unless the service lists that item twice.
        public var id: ItemID
        public var item: PlanItem
        public var isLeftOut = false
        public var isMoved = false
        public var isAdded = false
        /// Whether the service has added the item since the musician last changed something.
        public var isNew = false
        public var hasOtherChart = false
        public var isReadOtherwise = false
        public var remark: String?

        /// Whether the musician has changed anything about the item.
        public var differs: Bool { isLeftOut || isMoved || isAdded || hasOtherChart || isReadOtherwise || remark != nil }

        /// How the item differs from the plan, such as `left out`; empty if it does not.
        public var words: String {
            let words = [
                isLeftOut ? "left out" : nil, isAdded ? "added" : isMoved ? "moved" : nil, hasOtherChart ? "another chart" : nil,
                isReadOtherwise ? "another key" : nil, remark.map { "“\($0)”" },
            ]
            return words.compactMap(\.self).joined(separator: ", ")
        }
    }

    public let number: Int
    /// The items as the plan has them.
    public let planned: [PlanItem]
    public let rows: [Row]
    /// The titles of items that were changed for tonight and are no longer in the plan.
    public let gone: [String]
    /// Whether tonight's changes cannot be read. The rows are then the plan's own items.
    public var isUnreadable: Bool { number < 0 }
    /// Whether the band is offered this set.
    public let isOffered: Bool

    /// The rows of the items that are played, in order.
    public var played: [Row] { rows.filter { !$0.isLeftOut } }

    /// Whether tonight differs from the plan.
    public var differs: Bool { rows.contains(where: \.differs) }

    /// How tonight differs from the plan, such as `1 left out, 2 moved`; `nil` if it does not.
    public var words: String? {
        let counts: [(Int, String)] = [
            (rows.count(where: \.isLeftOut), "left out"), (rows.count(where: \.isAdded), "added"),
            (rows.count { $0.isMoved && !$0.isAdded }, "moved"), (rows.count(where: \.hasOtherChart), "with another chart"),
            (rows.count(where: \.isReadOtherwise), "in another key"),
            (rows.count { $0.remark != nil }, "with a remark"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return words.isEmpty ? nil : words
    }
}

extension PlanItem {
    /// The entry among the left-out charts for a song that was added for tonight and has no chart here.
    fileprivate var withoutChart: LeftOut {
        LeftOut(
            attachment: AttachmentID(id.text), filename: title, item: title,
            reason: .noChart(because: "it was added for tonight, and its chart is not here"))
    }
}

extension PlanContents {
    /// The plan as its source has it, whatever is changed for tonight.
    public var asPlanned: PlanContents {
        guard let tonight else { return self }
        var contents = self
        (contents.items, contents.tonight) = (tonight.planned, nil)
        let added = Set(tonight.rows.map(\.item.withoutChart))
        contents.leftOut.removeAll(where: added.contains)
        return contents
    }
}

extension TonightSet {
    /// The plan as it is played tonight. `stored` are the items that are stored for this set.
    public func applied(to plan: PlanContents, storing stored: [PlanItem]) -> PlanContents {
        let rows = self.rows(of: plan.items, stored)
        var contents = plan
        contents.items = rows.filter { !$0.isLeftOut }.map(\.item)
        contents.leftOut += rows.filter { $0.isAdded && !$0.isLeftOut && $0.item.attachments.isEmpty }.map(\.item.withoutChart)
        let here = Set(rows.map(\.id))
        let touched = Set(moves.map(\.item) + parts.map(\.item) + remarks.map(\.item))
        let gone = known.filter { touched.contains($0.item) && !here.contains($0.item) }.map(\.title)
        contents.tonight = Tonight(number: number, planned: plan.items, rows: rows, gone: gone, isOffered: isOffered ?? false)
        return contents
    }

    /// All items in tonight's order, with those that are left out.
    private func rows(of items: [PlanItem], _ stored: [PlanItem]) -> [Tonight.Row] {
        let starts = Dictionary((self.starts ?? []).map { ($0.item, $0.page) }) { _, last in last }
        let stored = Dictionary(stored.map { ($0.id, $0.beginning(at: starts[$0.id])) }) { first, _ in first }
        let (leftOut, moved, known) = (Set(self.leftOut), Set(moves.map(\.item)), Set(self.known.map(\.item)))
        let remarks = Dictionary(self.remarks.map { ($0.item, $0.text) }) { _, last in last }
        let parts = Dictionary(self.parts.map { ($0.item, $0.shown) }) { _, last in last }
        let readings = Set(self.readings.map(\.song))
        var rows = Self.named(items).map { id, item in
            var row = Tonight.Row(id: id, item: item)
            row.isLeftOut = leftOut.contains(id)
            row.isNew = !isEmpty && !known.contains(id)
            if let other = parts[id].flatMap({ stored[$0] }) {
                (row.item.attachments, row.item.song, row.item.start) = (other.attachments, other.song, other.start)
                row.hasOtherChart = true
            }
            return row
        }
        rows += added.compactMap { stored[$0] }.map { Tonight.Row(id: $0.id, item: $0, isAdded: true) }
        for index in rows.indices {
            rows[index].isMoved = moved.contains(rows[index].id)
            rows[index].remark = remarks[rows[index].id]
            rows[index].isReadOtherwise = rows[index].item.song.map { readings.contains($0.id) } ?? false
        }
        var order = rows.filter { !$0.isMoved }
        for move in moves {
            guard let row = rows.first(where: { $0.id == move.item }) else { continue }
            let before = move.after.lazy.compactMap { id in order.firstIndex { $0.id == id } }.first
            order.insert(row, at: before.map { $0 + 1 } ?? 0)
        }
        return order
    }

    /// The items with unique ids: the service has been seen to list the same item twice.
    private static func named(_ items: [PlanItem]) -> [(ItemID, PlanItem)] {
        var counts: [ItemID: Int] = [:]
        return items.map { item in
            let count = counts[item.id, default: 0] + 1
            counts[item.id] = count
            return (count == 1 ? item.id : ItemID("\(item.id) (\(count))"), item)
        }
    }
}

extension PlanItem {
    fileprivate func beginning(at page: PageIndex?) -> PlanItem {
        var item = self
        item.start = page
        return item
    }
}
