import Library
import Model
import Platform
import TestSupport
import Testing

/// Which charts the library keeps when several plans lose charts in the same poll.
@Suite(.onLoop)
struct NarrowedRightsTests {
    private let home = TemporaryFolder()
    private let now = Samples.monday + .seconds(-86400)

    /// The service narrows somebody's rights: all songs remain, but two plans lose 45 and 40 % of their files.
    @Test @LoopActor func chartsThatSeveralPlansLoseAtOnceAreKeptUntilAnHourConfirmsIt() throws {
        let library = try Library(folder: home.path)
        func plan(_ id: String, _ count: Int, without hidden: Int = 0) -> PlanContents {
            var plan = Samples.contents(id, attachments: (0..<count).map { Samples.attachment("\(id)/\($0)") })
            for item in 0..<hidden { plan.items[item].attachments = [] }
            return plan
        }
        let before = [plan("8", 11), plan("9", 10)]
        let after = [plan("8", 11, without: 5), plan("9", 10, without: 4)]
        try library.plans.update(before, at: now)
        let told = try library.plans.update(after, at: now)
        let reason = HoldReason.chartsHidden(9, of: 21, plans: 2)
        #expect(told == before.map { .planHeldBack(.init($0.plan), reason) })
        #expect(try library.plans.all() == before)
        try library.plans.update(after, at: now + .seconds(3600))
        #expect(try library.plans.all() == after)
    }

    /// While a second plan cannot be read, it is unknown whether that plan loses charts as well.
    @Test @LoopActor func aChartThatIsLostWhileAnotherPlanIsUnreadIsKeptUntilAnHourConfirmsIt() throws {
        let library = try Library(folder: home.path)
        let before = ["8", "9"].map { id in Samples.contents(id, attachments: (0..<4).map { Samples.attachment("\(id)/\($0)") }) }
        try library.plans.update(before, at: now)
        var less = before[0]
        less.items[0].attachments = []
        let unread = UnreadPlan(plan: before[1].plan, since: now, reason: "a web page came")
        try library.plans.update([less], unread: [unread], at: now)
        #expect(try library.plans.heldBack().map(\.reason) == [.chartsHidden(1, of: 4, plans: 1)])
        #expect(try library.plans.all() == before)
        try library.plans.update([less], unread: [unread], at: now + .seconds(3600))
        #expect(try library.plans.all() == [less, before[1]])
    }

    /// One file is taken out of two plans, and then songs are taken out.
    @Test @LoopActor func whatPeopleTakeOutOfSeveralPlansIsBelieved() throws {
        let library = try Library(folder: home.path)
        let shared = Samples.attachment("shared")
        let others = (0..<6).map { Samples.attachment("own \($0)") }
        let before = ["8", "9"].map { Samples.contents($0, attachments: [shared] + others.prefix(3)) }
        try library.plans.update(before, at: now)
        var after = before
        for plan in after.indices { after[plan].items[0].attachments = [] }
        try library.plans.update(after, at: now)
        #expect(try library.plans.heldBack() == [])
        for plan in after.indices { after[plan].items.removeLast() }
        try library.plans.update(after, at: now)
        #expect(try library.plans.heldBack() == [])
    }
}
