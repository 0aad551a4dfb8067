import Agent
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Sync

/// When an agent polls the service for its own plans, and how it reports the polls. A stage begins at 2026-11-21T09:00:00Z.
@Suite(.onLoop)
struct RhythmTests {
    @LoopActor private static var list: String {
        "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
    }
    @LoopActor private static var marks: String { "\(SmallService.annotations)/layers?where%5Bplan_id%5D=1&per_page=100" }

    @Test(arguments: [("2026-12-10T10:00:00Z", 2), ("2026-11-22T20:00:00Z", 8), ("2026-11-21T12:00:00Z", 48)])
    @LoopActor func askedAtOnceAndThenByTheDistanceOfThePlanUntilTheEnd(time: String, polls: Int) async throws {
        let chart = SmallService.Chart(id: "11", name: "a.pdf", bytes: SmallService.pdf("a"))
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: time, charts: [chart])])
        let machine = SimulatedSurroundings()
        var outcomes: [PollOutcome] = []
        func report() -> AgentReport.Polls { stage.agent.report(version: "1", since: stage.clock.timestamp).polls }
        // A service without marks is no fault, but the address may be wrong.
        stage.service.network.route(.get, Self.marks, status: 404, "no")
        stage.agent.beginPolling(in: machine) { outcomes.append($0) }
        await stage.wait(for: .seconds(20))
        #expect(outcomes.map(\.isComplete) == [true] && report().noMarksAt == SmallService.annotations && report().setbacks == [])
        await stage.wait(for: .seconds(4 * 3600))
        #expect(outcomes.count == 1 + polls)

        stage.service.network.route(.get, Self.list, status: 401, "Access denied.")
        machine.happen(.wokeUp)
        await stage.wait(for: .seconds(30))
        let state = try #require(stage.agent.pollState)
        #expect(report().refused?.times == 1 && report().refused?.since == state.refusedSince && report().next == state.next)
        stage.service.network.route(.get, Self.list, #"{"data":[],"included":[],"links":{}}"#)
        stage.agent.noteNewToken()
        await stage.wait(for: .seconds(5))
        #expect(outcomes.last?.reach == .reached && report().refused == nil)

        await stage.agent.stop()
        #expect(!machine.isWatched)
        let before = outcomes.count
        await stage.wait(for: .seconds(86_400))
        #expect(outcomes.count == before, "nobody asks after the end")
    }
}
