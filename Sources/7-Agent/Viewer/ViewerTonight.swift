import JSON
public import Model

/// A change of tonight's set, as a page requests it.
public struct TonightRequest: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        case leaveOut(Bool)
        /// Move the item after another one; to the beginning without one.
        case move(after: ItemID?)
        /// Add a chart after an item; at the beginning without one.
        case add(AttachmentID, after: ItemID?)
        /// Have the item show this chart; its own ones without one.
        case show(AttachmentID?)
        /// Read the item's song in this key; as before without one.
        case read(key: String?)
        case remark(String)
        case asPlanned
        /// Offer the set to the band, or no longer.
        case offer(Bool)
        /// Replace the set by the one that this device offers, in the state with this tag.
        case use(from: String, tag: String)
    }

    public var plan: PlanID
    /// The number of the set that the page shows.
    public var number: Int
    /// The item to change; empty if the change concerns none.
    public var item: ItemID
    public var change: Change
    /// The page and the title of what the change brings, if that is a song within a book.
    public var page: PageIndex?
    public var title: String?

    public init(_ change: Change, of item: ItemID = ItemID(""), in plan: PlanID, at number: Int) {
        (self.change, self.item, self.plan, self.number) = (change, item, plan, number)
    }
}

extension TonightRequest {
    /// Reads what a page sends; `nil` if it is malformed.
    init?(_ request: [UInt8]) {
        guard let body = try? JSONReader.decode(Body.self, from: request), let change = body.change else { return nil }
        self.init(change, of: body.item ?? ItemID(""), in: body.plan, at: body.number)
        guard (0...PageIndex.greatest).contains(body.page ?? 0) else { return nil }
        (page, title) = (body.page.map { PageIndex($0) }, body.title)
    }

    private struct Body: Decodable {
        var plan: PlanID
        var number: Int
        var act: Act
        var item: ItemID?
        var after: ItemID?
        var chart: AttachmentID?
        var key: String?
        var remark: String?
        var page: Int?
        var title: String?
        var from: String?
        var tag: String?

        enum Act: String, Decodable {
            case leaveOut, putBack, move, add, show, read, remark, asPlanned, offer, withdraw, use
        }

        var change: Change? {
            switch act {
            case .add: return chart.map { .add($0, after: after) }
            case .asPlanned: return .asPlanned
            case .offer, .withdraw: return .offer(act == .offer)
            case .use:
                guard let from, let tag else { return nil }
                return .use(from: from, tag: tag)
            case .leaveOut, .putBack, .move, .show, .read, .remark: break
            }
            guard item != nil else { return nil }
            return switch act {
            case .leaveOut: .leaveOut(true)
            case .putBack: .leaveOut(false)
            case .move: .move(after: after)
            case .show: .show(chart)
            case .read: .read(key: key)
            case .remark: remark.map { .remark($0) }
            case .add, .asPlanned, .offer, .withdraw, .use: nil
            }
        }
    }
}

extension Tonight {
    /// Every item in tonight's order, with those that are left out.
    var json: JSONText {
        [
            "number": .integer(number), "unreadable": .boolean(isUnreadable), "words": .maybe(words), "gone": .texts(gone),
            "offered": .boolean(isOffered),
            "rows": .list(
                rows.map { row in
                    .object(
                        [
                            ("id", .text(row.id.text)), ("title", .text(row.item.title)), ("kind", .maybe(row.item.kind)),
                            ("leftOut", .boolean(row.isLeftOut)), ("moved", .boolean(row.isMoved)), ("other", .boolean(row.hasOtherChart)),
                            ("otherKey", .boolean(row.isReadOtherwise)),
                        ] + row.members)
                }),
        ]
    }
}

extension OfferedTonight {
    /// What somebody in the band offers, and how it differs from the plan.
    var json: JSONText {
        [
            "from": .text(from), "name": .text(name), "tag": .text(tag), "state": .text(state.rawValue), "changes": .integer(changes),
            "words": .maybe(tonight.words), "items": .texts(tonight.rows.filter(\.differs).map { "\($0.item.title): \($0.words)" }),
            "lacks": .texts(lacks),
        ]
    }
}

extension Tonight.Row {
    /// What a plan's page says of the item. Nothing for an item that is as the plan has it.
    var members: [(name: String, value: JSONText)] {
        var members: [(name: String, value: JSONText)] = []
        if isAdded { members.append((name: "added", value: .boolean(true))) }
        if isNew { members.append((name: "new", value: .boolean(true))) }
        if let remark { members.append((name: "remark", value: .text(remark))) }
        return members
    }
}
