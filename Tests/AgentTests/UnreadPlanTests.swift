import Agent
import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Sync

/// Plans that the service lists while it does not give their contents.
@Suite(.onLoop)
struct UnreadPlanTests {
    nonisolated private static let place = "https://service.test/services/v2/service_types/7/plans"

    @LoopActor private func withhold(_ part: String, of plan: String, on stage: Stage, status: Int = 500, _ body: String = "") {
        let query = part == "items" ? "include=song,arrangement,key&per_page=100" : "per_page=100"
        stage.service.network.route(.get, "\(Self.place)/\(plan)/\(part)?\(query)", status: status, body)
    }

    @Test @LoopActor func aPlanThatIsMovedAndCannotBeReadIsTheNextAllTheSame() async throws {
        let stage = try Stage(Array(Season.plans.prefix(2)))
        #expect(await stage.sync().isComplete)
        let contents = try stage.library.plans.all()
        stage.service.plans[1].startsAt = "2026-11-21T20:00:00Z"
        withhold("items", of: "2", on: stage)
        #expect(await !stage.sync().isComplete)
        let after = try stage.library.plans.all()
        #expect(after.map(\.plan.id.text) == ["2", "1"])
        #expect(after[0].plan.firstTime == Timestamp("2026-11-21T20:00:00Z"))
        #expect(after[0].items == contents[1].items)
    }
}
