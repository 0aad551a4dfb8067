import Freshness
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Sync

/// When the service is polled. A stage begins at 2026-11-21T09:00:00Z.
@Suite(.onLoop)
struct RhythmTests {
    @LoopActor
    private final class Performance {
        let stage: Stage
        let machine = SimulatedSurroundings()
        let polls: PollClock
        private(set) var outcomes: [PollOutcome] = []

        init(planAt time: String) throws {
            let stage = try Stage([
                SmallService.Plan(
                    id: "1", startsAt: time, charts: [SmallService.Chart(id: "11", name: "a.pdf", bytes: SmallService.pdf("a"))])
            ])
            self.stage = stage
            polls = PollClock(
                PollRhythm(), time: stage.clock, conditions: { [machine] in machine.present },
                plans: { (try? stage.library.plans.all().map(\.plan)) ?? [] },
                poll: { _ = await stage.poll(PollScope(isRequested: false)) })
        }

        func begin() async {
            machine.start { [polls] in polls.receive($0) }
            stage.onPollEnded = { [weak self] outcome, isRequested in
                self?.polls.note(outcome)
                if !isRequested { self?.outcomes.append(outcome) }
            }
            polls.begin()
            AfterTest.end { [polls, stage] in
                polls.end()
                await stage.clock.run { await stage.polls.end() }
            }
            await stage.wait(for: .seconds(20))
        }

        /// The number of polls that end within `duration`.
        func polls(within duration: Duration) async -> Int {
            let before = outcomes.count
            await stage.wait(for: duration)
            return outcomes.count - before
        }
    }

    /// Why the marks on the plan are missing, as the library records it for `woodshed ready`.
    @LoopActor private func untold(_ play: Performance) throws -> String? {
        try play.stage.library.layers.untoldMarks()[PlanID("1")]?.reason
    }

    @LoopActor private static var list: String {
        "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
    }
    @LoopActor private static var marks: String { "\(SmallService.annotations)/layers?where%5Bplan_id%5D=1&per_page=100" }
    nonisolated private static let noMarks = #"{"data":[],"included":[],"links":{}}"#

    @Test @LoopActor func onBatteryItIsAskedHalfAsOften() async throws {
        let play = try Performance(planAt: "2026-11-21T12:00:00Z")
        play.machine.present = MachineConditions(isOnBattery: true)
        await play.begin()
        #expect(await play.polls(within: .seconds(3600)) == 6)
    }

    @Test(arguments: [false, true]) @LoopActor func wakingUpAsksAtOnceAlsoIfTheClockIsSet(isSet: Bool) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        play.machine.happen(.wokeUp)
        if isSet { play.machine.happen(.clockJumped) }
        #expect(await play.polls(within: .seconds(20)) == 1)
        #expect(await play.polls(within: .seconds(3600)) == 0)
    }

    @Test @LoopActor func aNetworkThatComesIsUsedWhenOneWasMissed() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        play.machine.happen(.networkCame)
        #expect(await play.polls(within: .seconds(60)) == 0, "what is fresh is not asked for again")
        play.stage.service.network.failure = HTTPFailure(.unreachable, "no route")
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(600))
        #expect(play.outcomes.last?.reach == .offline)
        let failures = play.polls.state.failures
        #expect((3...5).contains(failures), "ever more rarely")
        play.stage.service.network.failure = nil
        let before = play.outcomes.count
        play.machine.happen(.networkCame)
        await play.stage.wait(for: .seconds(30))
        #expect(play.outcomes.count == before + 1 && play.outcomes.last?.reach == .reached)
        #expect(play.polls.state.failures == 0)
    }

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
        // Each poll is refused twice within a second.
        let polls = stride(from: 0, to: denied.count, by: 2).map { denied[$0] }
        #expect(zip(polls.dropFirst(), polls).map { Int((($0 - $1).inSeconds / 60).rounded()) } == [1, 2, 4, 8, 16])
        let state = play.polls.state
        #expect(state.refusals == polls.count && state.failures == state.refusals && state.refusedSince != nil)
        play.stage.service.network.route(.get, Self.list, #"{"data":[],"included":[],"links":{}}"#)
        play.polls.noteNewToken()
        await play.stage.wait(for: .seconds(5))
        #expect(play.outcomes.last?.reach == .reached)
        #expect(play.polls.state.refusals == 0 && play.polls.state.refusedSince == nil)
        #expect(await play.polls(within: .seconds(600)) == 0)
    }

    @Test(arguments: [(status: 200, body: "<html>Welcome to our hotel</html>"), (503, "busy"), (403, "Forbidden")])
    @LoopActor func aServiceWithoutAListIsAskedAgainSoon(status: Int, body: String) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        play.stage.service.network.route(.get, Self.list, status: status, body)
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(600))
        #expect((3...5).contains(play.polls.state.failures), "soon, then ever more rarely")
        #expect(play.stage.polls.offlineSince != nil)
        #expect(play.outcomes.last?.isAnswered == false)
        play.stage.service.network.route(.get, Self.list, #"{"data":[],"included":[],"links":{}}"#)
        await play.stage.wait(for: .seconds(1200))
        #expect(play.polls.state.failures == 0 && play.stage.polls.offlineSince == nil)
        #expect(play.outcomes.last?.isAnswered == true)
    }

    /// The plans arrived, but not the marks on them: the poll has failed, although the service can be reached.
    @Test(arguments: [(status: 200, body: "<html>Welcome to our hotel</html>"), (503, "busy")])
    @LoopActor func aServiceThatTellsNoMarksIsAskedAgainSoon(status: Int, body: String) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        let heard = try #require(try play.stage.library.lastPoll)
        play.stage.service.network.route(.get, Self.marks, status: status, body)
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(600))
        #expect((3...5).contains(play.polls.state.failures), "soon, then ever more rarely")
        #expect(try play.stage.library.lastPoll == heard)
        #expect(play.outcomes.last?.isAnswered == true && play.outcomes.last?.hasMarks == false)
        #expect(play.outcomes.last?.setbacks.first?.subject.hasPrefix("marks of") == true)
        #expect(try untold(play) != nil)
        #expect(play.stage.polls.offlineSince == nil)
        play.stage.service.network.route(.get, Self.marks, Self.noMarks)
        await play.stage.wait(for: .seconds(1200))
        #expect(play.polls.state.failures == 0)
        #expect(try #require(try play.stage.library.lastPoll) > heard + .seconds(600))
        #expect(try untold(play) == nil)
    }

    @Test @LoopActor func aServiceThatOffersMarksNoMoreIsNoneWithoutMarks() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        play.stage.service.layers["1"] = [SmallService.layer("l", on: "11", pages: [0])]
        await play.begin()
        #expect(try untold(play) == nil)
        play.stage.service.network.route(.get, Self.marks, status: 404, "no")
        await play.stage.sync()
        #expect(try untold(play) == "it no longer offers marks")
    }

    @Test(arguments: ["plans", "marks", "charts"]) @LoopActor func whatAsksForPatienceIsLeftAlone(with what: String) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        let places = ["plans": Self.list, "marks": Self.marks, "charts": "\(SmallService.api)/attachments/11/open"]
        play.stage.service.network.route(
            what == "charts" ? .post : .get, try #require(places[what]), status: 429, headers: ["retry-after": "5000"], "slow down")
        play.stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        play.machine.happen(.wokeUp)
        #expect(await play.polls(within: .seconds(300)) == 1)
        // The service requested a pause, which a change of the network must not end.
        play.machine.happen(.networkCame)
        #expect(await play.polls(within: .seconds(4600)) == 0)
        #expect(await play.polls(within: .seconds(300)) == 1)
    }

    /// A service that has no marks, or forbids them, has sent everything that it ever will.
    @Test(arguments: [404, 410, 403])
    @LoopActor func marksThatAreNotForUsMakeNoPollABadOne(status: Int) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        play.stage.service.network.route(.get, Self.marks, status: status, "no")
        await play.begin()
        #expect(try play.stage.library.lastPoll != nil)
        #expect(play.polls.state.failures == 0)
        #expect(play.outcomes.map(\.setbacks.isEmpty) == [status != 403])
        #expect(try (untold(play) != nil) == (status == 403))
    }

    /// A refused chart is reported in its own line, and does not make the poll a failed one.
    @Test(arguments: [403, 404]) @LoopActor func aChartThatIsNotForUsMakesNoPollABadOne(status: Int) async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        play.stage.service.network.route(.get, "\(SmallService.api)/file/11", status: status, "no")
        await play.begin()
        #expect(play.outcomes.first?.setbacks.count == 1, "\(play.outcomes)")
        #expect(try play.stage.library.lastPoll != nil)
        #expect(play.polls.state.failures == 0)
    }

    @Test @LoopActor func aClockThatIsSetChangesWhatIsDue() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        // The clock jumps to an hour before the plan.
        play.stage.clock.wallTimeAtStart += .seconds(19 * 86_400)
        play.machine.happen(.clockJumped)
        #expect(await play.polls(within: .seconds(60)) == 1, "the last poll is long ago by now")
        // The clock jumps back: the next poll must not wait for weeks.
        play.stage.clock.wallTimeAtStart -= .seconds(19 * 86_400)
        play.machine.happen(.clockJumped)
        #expect(await play.polls(within: .seconds(4 * 3600)) >= 1)
    }

    @Test @LoopActor func atTheEndOfAllTimesThereIsAPauseBetweenPolls() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        // Exchanges take time: without that, polls without a pause would never end.
        play.stage.service.network.delay = .seconds(10)
        // The clock jumps to 2290, later than any timestamp can be.
        play.stage.clock.wallTimeAtStart += .seconds(264 * 31_557_600)
        play.machine.happen(.clockJumped)
        #expect((1...3).contains(await play.polls(within: .seconds(4 * 3600))))
    }

    @Test @LoopActor func wakingUpWhileAPollRunsAsksOnceMore() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        play.stage.service.network.delay = .seconds(10)
        play.machine.happen(.wokeUp)
        await play.stage.wait(for: .seconds(5))
        #expect(play.polls.state.isPolling == true)
        play.machine.happen(.wokeUp)
        #expect(await play.polls(within: .seconds(300)) == 2)
        #expect(await play.polls(within: .seconds(3600)) == 0)
    }

    @Test @LoopActor func whatFollowsPollsIsDoneInTurnAndHoldsUpNoPoll() async throws {
        let clock = SimulatedClock()
        var (running, most, ended) = (0, 0, 0)
        let after = AfterPolls { _ in
            running += 1
            most = max(most, running)
            try? await clock.sleep(for: .seconds(10_000))
            running -= 1
            ended += 1
        }
        for _ in 0..<2 { after.enqueue(PollOutcome()) }
        #expect(ended == 0)
        await clock.run { try? await clock.sleep(for: .seconds(20_100)) }
        #expect(most == 1 && ended == 2)
    }

    @Test @LoopActor func whoeverAsksPutsTheNextPollOff() async throws {
        let play = try Performance(planAt: "2026-12-10T10:00:00Z")
        await play.begin()
        await play.stage.wait(for: .seconds(7000))
        await play.stage.sync()
        #expect(play.outcomes.count == 1)
        #expect(await play.polls(within: .seconds(3600)) == 0)
        #expect(await play.polls(within: .seconds(3700)) == 1)
    }
}
