import Agent
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// When the agent polls the service, and how it reports the answers. It is 2026-11-21T09:00:00Z as a stage begins.
@Suite(.onLoop)
struct RhythmTests {
    @LoopActor
    private final class Performance {
        let stage: Stage
        let machine = SimulatedSurroundings()
        private(set) var outcomes: [PollOutcome] = []

        init(planAt time: String) throws {
            stage = try Stage([
                SmallService.Plan(
                    id: "1", startsAt: time, charts: [SmallService.Chart(id: "11", name: "a.pdf", bytes: SmallService.pdf("a"))])
            ])
        }

        func begin() async {
            stage.agent.beginPolling(in: machine) { [weak self] outcome in self?.outcomes.append(outcome) }
            await stage.wait(for: .seconds(20))
        }

        /// Why the marks on plans are missing, as people read it.
        func marksUntold() async throws -> [String] {
            let report = try await stage.clock.run { try await stage.agent.readiness() }
            return report.plans.flatMap(\.notes).compactMap { if case .marksUntold(_, let reason) = $0 { reason } else { nil } }
        }

        /// Polls that ended in this time.
        func polls(within duration: Duration) async -> Int {
            let before = outcomes.count
            await stage.wait(for: duration)
            return outcomes.count - before
        }
    }

    @LoopActor private static var list: String {
        "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
    }
    @LoopActor private static var marks: String { "\(SmallService.annotations)/layers?where%5Bplan_id%5D=1&per_page=100" }
    nonisolated private static let noMarks = #"{"data":[],"included":[],"links":{}}"#

    @Test @LoopActor func askedAtOnceAndThenByTheDistanceOfThePlan() async throws {
        for (time, polls) in [("2026-12-10T10:00:00Z", 2), ("2026-11-22T20:00:00Z", 8), ("2026-11-21T12:00:00Z", 48)] {
            let play = try Performance(planAt: time)
            await play.begin()
            #expect(play.outcomes.map(\.isComplete) == [true])
            #expect(await play.polls(within: .seconds(4 * 3600)) == polls, "a plan at \(time)")
            await play.stage.agent.stop()
            #expect(!play.machine.isWatched)
            #expect(await play.polls(within: .seconds(86_400)) == 0, "nobody asks after the end")
        }
    }

    /// When polls begin in the following minutes, rounded to minutes.
    @Test @LoopActor func aRefusedTokenIsAskedAgainSoonThenEverMoreRarely() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        var denied: [Duration] = []
        play.stage.service.network.route(.get, Self.list) { [clock = play.stage.clock] _ throws(HTTPFailure) in
            denied.append(.nanoseconds(clock.now.nanoseconds))
            return HTTPResponse(status: 401, body: Array("Access denied.".utf8))
        }
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(3600))
        // Each time twice in a second.
        let polls = stride(from: 0, to: denied.count, by: 2).map { denied[$0] }
        let pauses = zip(polls.dropFirst(), polls).map { Int((($0 - $1).inSeconds / 60).rounded()) }
        #expect(pauses == [1, 2, 4, 8, 16])
        let state = try #require(play.stage.agent.pollState)
        #expect(state.refusals == polls.count && state.failures == state.refusals)
        #expect(try #require(state.next) > play.stage.clock.timestamp)
        let report = play.stage.agent.report(version: "1", since: Timestamp(nanoseconds: 0)).polls
        #expect(report.refused?.times == polls.count && report.refused?.since == state.refusedSince && report.next == state.next)

        play.stage.service.network.route(.get, Self.list, Self.noMarks)
        play.stage.agent.noteNewToken()
        await play.stage.wait(for: .seconds(5))
        #expect(play.outcomes.last?.reach == .reached)
        #expect(play.stage.agent.pollState?.refusals == 0 && play.stage.agent.pollState?.refusedSince == nil)
        #expect(await play.polls(within: .seconds(600)) == 0)
        await play.stage.agent.stop()
    }

    /// That is no fault; but the address may be wrong.
    @Test @LoopActor func whereAServiceHasNoMarksIsTold() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        func report() -> AgentReport.Polls { play.stage.agent.report(version: "", since: play.stage.clock.timestamp).polls }
        play.stage.service.network.route(.get, Self.marks, status: 404, "no")
        await play.begin()
        #expect(report().noMarksAt == SmallService.annotations && report().setbacks == [])
        #expect(try await play.marksUntold() == [])
        play.stage.service.network.route(.get, Self.marks, Self.noMarks)
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(60))
        #expect(report().noMarksAt == nil)
        await play.stage.agent.stop()
    }
}
