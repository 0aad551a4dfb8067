import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Sync

/// Polls of an agent that is suspended or stopped.
@Suite(.onLoop)
struct PollControlTests {
    private static func plan(_ id: String, charts: [String]) -> SmallService.Plan {
        SmallService.Plan(
            id: id, startsAt: "2026-11-22T10:00:00Z",
            charts: charts.map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) })
    }

    /// Other processes read from the disk when the service last sent a complete answer. A poll that a person requested writes that
    /// time at once; polls by the clock leave it to the end of the agent.
    @Test @LoopActor func aPollThatAPersonAskedForIsWrittenDownAndOneOfTheClockAtTheEnd() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        await stage.sync()
        let reader = try Library(readingFrom: stage.library.folder)
        let first = try #require(try reader.lastPoll)
        await stage.wait(for: .seconds(600))
        await stage.sync()
        let asked = try #require(try reader.lastPoll)
        #expect(asked >= first + .seconds(600))
        await stage.wait(for: .seconds(600))
        #expect(await stage.agent.poll(PollScope(isRequested: false)).isComplete)
        #expect(try reader.lastPoll == asked, "no disk is woken for that")
        let known = try #require(try stage.library.lastPoll)
        #expect(known >= asked + .seconds(600))
        await stage.agent.stop()
        #expect(try reader.lastPoll == known)
    }

    @Test @LoopActor func aSuspendedAgentAsksNothingUntilItIsResumed() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        stage.agent.pause()
        let outcome = await stage.play {
            let poll = spawn { await stage.agent.poll() }
            try? await stage.clock.sleep(for: .seconds(3600))
            #expect(stage.service.network.requests.isEmpty)
            stage.agent.resume()
            return await poll.value
        }
        #expect(outcome.isComplete)
        #expect(stage.service.opened.count == 2)
    }

    @Test @LoopActor func stoppingEndsAPoll() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        let outcome = await stage.play {
            let poll = spawn { await stage.agent.poll() }
            try? await stage.clock.sleep(for: .milliseconds(500))
            await stage.agent.stop()
            return await poll.value
        }
        #expect(outcome.isCancelled)
    }
}
