import Model
import TestSupport
import Testing

/// What a member of a band offers for tonight, and what it is with somebody who has another state of the plan.
@Suite struct TonightOfferTests {
    private static func item(_ id: String) -> PlanItem {
        PlanItem(id: ItemID(id), sequence: 0, title: "Song \(id)", attachments: [Samples.attachment(id)])
    }

    private static func plan(_ ids: String) -> PlanContents {
        PlanContents(plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7")), items: ids.map { item(String($0)) })
    }

    /// An offer in which `b` is left out, `d` is the first, and a song with the chart `x` is the last.
    private static func offer() throws -> TonightOffer {
        let plan = plan("abcd")
        var (set, added) = (TonightSet(), item("x"))
        added.id = ItemID("tonight-3")
        for edit: TonightEdit in [
            .leaveOut(ItemID("b"), true), .move(ItemID("d"), after: nil), .add(added, after: ItemID("c")), .remark(ItemID("c"), "twice"),
        ] {
            let isMade = set.make(edit, in: plan, storing: [added])
            #expect(isMade)
        }
        let tonight = try #require(set.applied(to: plan, storing: [added]).tonight)
        return try #require(TonightOffer(of: "1", tonight))
    }

    private static func shown(
        in ids: String, after present: TonightSet = TonightSet(), tag: String = "t", charts: String = "x"
    ) throws -> OfferedTonight? {
        OfferedTonight(
            try offer(), from: "ben", name: "Ben", tag: tag, in: plan(ids), after: present,
            finding: Dictionary(uniqueKeysWithValues: charts.map { (AttachmentID(String($0)), item(String($0))) }))
    }

    /// The set and the plan that come of using an offer, and the items that are stored for them.
    private static func using(
        _ offered: OfferedTonight, in ids: String, after present: TonightSet
    ) throws -> (set: TonightSet, played: PlanContents, stored: [PlanItem]) {
        guard case .use(_, let items) = offered.edit else { throw Trouble("an offer is used otherwise") }
        var set = present
        let isMade = set.make(offered.edit, in: plan(ids), storing: [])
        #expect(isMade)
        return (set, set.applied(to: plan(ids), storing: items), items)
    }

    @Test func whoUsesAnOfferPlaysWhatTheOtherOnePlays() throws {
        var present = TonightSet()
        _ = present.make(.remark(ItemID("a"), "my own"), in: Self.plan("abcd"), storing: [])
        let offered = try #require(try Self.shown(in: "abcd", after: present))
        #expect(offered.tonight.words == "1 left out, 1 added, 1 moved, 1 with a remark" && offered.changes == 4)
        #expect(offered.lacks == [] && offered.state == .new)
        let (set, played, stored) = try Self.using(offered, in: "abcd", after: present)
        #expect(played.attachments.map(\.id.text) == ["d", "a", "c", "x"])
        #expect(played.tonight?.rows.map(\.remark) == [nil, nil, nil, "twice", nil], "the own changes are replaced")
        #expect(played.tonight?.rows.contains(where: \.isNew) == false && set.number == present.number + 1)
        var after = set
        let isMade = after.make(.leaveOut(try #require(played.items.last?.id), true), in: Self.plan("abcd"), storing: stored)
        #expect(isMade && after.added == [], "an added item is one's own then")
    }

    @Test func anotherStateOfThePlanTakesWhatItHas() throws {
        let offered = try #require(try Self.shown(in: "ncda", charts: ""))
        #expect(offered.lacks == ["Song x"])
        let played = try Self.using(offered, in: "ncda", after: TonightSet()).played
        #expect(played.items.map(\.title) == ["Song d", "Song n", "Song c", "Song x", "Song a"])
        #expect(played.items[3].attachments == [] && played.items[3].description == "Its chart is not here.")
        #expect(try Self.shown(in: "efg", charts: "")?.changes == 1, "what is added needs nothing of the plan")
    }

    @Test func itIsKnownWhetherAnOfferIsUsedAndHasChanged() throws {
        let offered = try #require(try Self.shown(in: "abcd"))
        var set = try Self.using(offered, in: "abcd", after: TonightSet()).set
        #expect(try Self.shown(in: "abcd", after: set)?.state == .used)
        #expect(try Self.shown(in: "abcd", after: set, tag: "later")?.state == .changed)
        let isOffered = set.make(.offer(true), in: Self.plan("abcd"), storing: [])
        #expect(isOffered && set.isOffered == true)
        #expect(try Self.shown(in: "abcd", after: set)?.state == .used, "offering it on changes nothing")
        _ = set.make(.leaveOut(ItemID("a"), true), in: Self.plan("abcd"), storing: [])
        #expect(try Self.shown(in: "abcd", after: set)?.state == .new && set.isOffered == true)
        _ = set.make(.asPlanned, in: Self.plan("abcd"), storing: [])
        #expect(set.isOffered == nil && set.used == nil, "taken back, it is no longer offered")
    }

    @Test func whatDiffersInNothingIsNotOffered() {
        var set = TonightSet()
        let isOffered = set.make(.offer(true), in: Self.plan("ab"), storing: [])
        #expect(!isOffered)
        for isOut in [true, false] {
            _ = set.make(.leaveOut(ItemID("a"), isOut), in: Self.plan("ab"), storing: [])
            if isOut { _ = set.make(.offer(true), in: Self.plan("ab"), storing: []) }
        }
        #expect(set.isOffered == nil)
    }

    @Test func whatOthersWriteHasLimits() {
        let (row, long) = (TonightOffer.Row(ItemID("a"), isMoved: true), String(repeating: "x", count: 500))
        #expect(TonightOffer(of: "1", [row]) != nil)
        let wrong: [[TonightOffer.Row]] = [
            [], [row, row], [TonightOffer.Row(ItemID(long))], [TonightOffer.Row(ItemID("a"), chart: AttachmentID(long))],
            (0...TonightOffer.mostItems).map { TonightOffer.Row(ItemID("\($0)")) },
            (0...TonightOffer.mostCharts).map { TonightOffer.Row(ItemID("\($0)"), chart: AttachmentID("c")) },
        ]
        for rows in wrong { #expect(TonightOffer(of: "1", rows) == nil) }
        let odd = TonightOffer.Row(
            ItemID("a"), title: "St\n\u{202e}\u{1b}[31mMary\(long)", isAdded: true, key: "  ", remark: "a\u{7}\n\(long)")
        #expect(odd.title.hasPrefix("St [31mMary") && odd.title.count == 80 && odd.key == nil)
        #expect(odd.remark?.hasPrefix("a x") == true && odd.remark?.count == TonightSet.longestRemark)
    }
}
