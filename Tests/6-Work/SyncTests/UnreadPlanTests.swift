import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Sync

/// Plans that the service lists without sending their contents.
@Suite(.onLoop)
struct UnreadPlanTests {
    nonisolated private static let faults: [(part: String, status: Int, body: String)] = [
        ("items", 500, ""), ("items", 404, ""), ("items", 200, #"{"errors":[{"title":"x"}]}"#), ("all_attachments", 403, ""),
        ("all_attachments", 200, #"{"data":[],"included":[],"links":{},"meta":{"total_count":1,"count":0}}"#),
    ]

    /// A service with one plan that was read, and a new one.
    @LoopActor private func stage(startsAt time: String = "2026-11-21T20:00:00Z") async throws -> Stage {
        let stage = try Stage([Stage.plans[0]])
        #expect(await stage.sync().isComplete)
        stage.service.plans[0].charts.append(SmallService.Chart(id: "x", name: "Song x", bytes: SmallService.pdf("x")))
        stage.service.plans.append(SmallService.Plan(id: "new", startsAt: time, charts: []))
        return stage
    }

    @Test(arguments: faults.indices) @LoopActor func aPlanThatCannotBeReadIsRememberedUntilItIsNotListed(fault: Int) async throws {
        let (part, status, body) = Self.faults[fault]
        let stage = try await stage()
        let query = part == "items" ? "include=song,arrangement,key&per_page=100" : "per_page=100"
        stage.service.network.route(.get, "\(SmallService.api)/service_types/7/plans/new/\(part)?\(query)", status: status, body)
        #expect(await !stage.sync().isComplete)
        let known = try stage.library.plans.unread()
        #expect(known.map(\.plan.id.text) == ["new"] && known.first?.reason != nil)
        #expect(stage.service.opened == ["1a", "x"], "it does not stop the others")
        #expect(try stage.library.plans.all().map(\.plan.id.text) == ["1"], "it is no plan of the library yet")
        await stage.wait(for: .seconds(600))
        // A service that cannot be reached has not withdrawn any plan, so the unread plan is kept.
        stage.service.network.failure = HTTPFailure(.unreachable, "no answer")
        await stage.sync()
        #expect(try stage.library.plans.unread() == known)
        stage.service.network.failure = nil
        await stage.sync()
        #expect(try stage.library.plans.unread().map(\.since) == known.map(\.since))
        stage.service.plans.removeLast()
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.plans.unread() == [])
    }

    @Test @LoopActor func aPollThatIsInterruptedLeavesNoPlanUnsaid() async throws {
        let stage = try await stage()
        stage.service.network.intercept = { $0.url.contains("/plans/new/") ? HTTPFailure(.cancelled, "cancelled") : nil }
        await stage.sync()
        #expect(try stage.library.plans.unread().map(\.plan.id.text) == ["new"])
    }

    /// The plan's only date is a year ago; but the service lists the plan as upcoming, so it may be the next one.
    @Test @LoopActor func aListedPlanThatSeemsToBeOverIsNotPassedOver() async throws {
        let stage = try await stage(startsAt: "2025-11-21T20:00:00Z")
        await stage.sync()
        let unread = try stage.library.plans.unread()
        #expect(unread.map(\.plan.id.text) == ["new"] && unread.first?.plan.firstTime == nil)
        #expect(unread.first?.reason?.contains("all its times are over") == true)
    }

    @Test @LoopActor func aScheduleThatDoesNotSayWhichPlanItIsForIsNotPassedOver() async throws {
        let stage = try Stage([Stage.plans[0]])
        let list = "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
        let time = #"{"type":"PlanTime","id":"t","attributes":{"starts_at":"2026-11-21T20:00:00Z"}}"#
        let times = #"{"plan_times":{"data":[{"type":"PlanTime","id":"t"}]}}"#
        let odd = #"{"type":"Schedule","id":"9","attributes":{"status":"C"},"relationships":\#(times)}"#
        stage.service.network.route(.get, list, #"{"data":[\#(odd)],"included":[\#(time)],"links":{}}"#)
        await stage.sync()
        #expect(try stage.library.plans.unread().map(\.plan.id.text) == ["schedule 9"])
    }
}
