import Agent
import Library
import Model
import PageCache
import Platform
import TestSupport
import Testing

@testable import Sync

/// Plans that the service still lists, but too far ahead to be kept ready.
@Suite(.onLoop)
struct FarPlanTests {
    private static let plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("a")])

    @Test @LoopActor func aPlanThatIsPutOffIsNotExpectedAtItsFormerDate() async throws {
        let stage = try Stage([Self.plan])
        await stage.sync()
        try await putOff(stage)
        #expect(try stage.library.plans.all().map(\.plan.firstTime) == [Timestamp("2027-02-07T10:00:00Z")])
        #expect(try await stage.agent.planTable().rows.isEmpty)
    }

    /// The service moves the plan months ahead; waits until the agent has accepted the new date.
    @LoopActor private func putOff(_ stage: Stage) async throws {
        let before = try stage.library.plans.all()
        stage.service.plans[0].startsAt = "2027-02-07T10:00:00Z"
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try stage.library.plans.all() == before)
        await stage.wait(for: .seconds(86_400))
        #expect(await stage.sync().isComplete)
    }

    @Test @LoopActor func aPinnedPlanIsFollowedHoweverFarItIs() async throws {
        let stage = try Stage([Self.plan])
        await stage.sync()
        _ = try stage.library.plans.pin(PlanID("1"))
        try await putOff(stage)
        stage.service.plans[0].charts.append(Season.chart("b"))
        #expect(await stage.sync().isComplete)
        #expect(stage.service.opened == ["a", "b"])
        #expect(stage.cache.present().count == 8)
    }

    @Test @LoopActor func aPlanThatWasNeverNearIsNotAskedFor() async throws {
        var far = Self.plan
        far.startsAt = "2027-02-07T10:00:00Z"
        let stage = try Stage([far])
        await stage.sync()
        #expect(try stage.library.plans.all().isEmpty)
        #expect(!stage.service.network.requests.contains { $0.url.contains("/items") })
    }
}
