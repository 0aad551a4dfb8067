import Model
import Testing

@testable import ImageKeeping

@Suite(.timeLimit(.minutes(5)))
struct SyncScopeTests {
    private static func plan(_ id: String, day: Int64?, charts: [String]) -> PlanContents {
        let time = day.map { Timestamp(nanoseconds: $0 * 86_400_000_000_000) }
        let items = charts.enumerated().map { place, chart in
            PlanItem(
                id: ItemID("\(id)-\(place)"), sequence: place, title: "Song",
                attachments: [Attachment(id: AttachmentID(chart), filename: chart)])
        }
        return PlanContents(
            plan: Plan(id: PlanID(id), serviceType: ServiceTypeID("1"), firstTime: time, lastTime: time), items: items)
    }

    private static let now = Timestamp(nanoseconds: 86_400_000_000_000)

    private let plans = [
        plan("someday", day: nil, charts: ["a"]), plan("later", day: 9, charts: ["a", "b"]), plan("soon", day: 2, charts: ["b", "c"]),
    ]

    @Test func allIsLeftAsItIs() {
        #expect(SyncScope.all.narrowed(plans, gone: [], at: Self.now) == plans)
    }

    /// A plan without a date may be on the same day, so it stays, too.
    @Test func nextPlanIsTheFirstByTime() {
        #expect(SyncScope.nextPlan.narrowed(plans, gone: [], at: Self.now) == [plans[2], plans[0]])
        #expect(SyncScope.nextPlan.narrowed([plans[1], plans[2]], gone: [], at: Self.now) == [plans[2]])
        #expect(SyncScope.nextPlan.narrowed([], gone: [], at: Self.now) == [])
    }

    @Test func planIsNamedById() {
        #expect(SyncScope.plan(PlanID("later")).narrowed(plans, gone: [], at: Self.now) == [plans[1]])
        #expect(SyncScope.plan(PlanID("other")).narrowed(plans, gone: [], at: Self.now) == [])
    }

    @Test func chartIsTakenFromEveryPlanThatHasIt() {
        let narrowed = SyncScope.chart(AttachmentID("b")).narrowed(plans, gone: [], at: Self.now)
        #expect(narrowed.map(\.plan) == [plans[1].plan, plans[2].plan])
        #expect(narrowed.allSatisfy { $0.attachments.map(\.id) == [AttachmentID("b")] })
    }
}
