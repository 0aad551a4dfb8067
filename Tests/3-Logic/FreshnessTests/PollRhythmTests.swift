import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PollRhythmTests {
    private let now = Timestamp(sinceEpoch: .seconds(1_795_251_600))

    private func plan(in distance: Duration, lasting: Duration = .seconds(3600)) -> Plan {
        Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), firstTime: now + distance, lastTime: now + distance + lasting)
    }

    private func wait(_ plans: [Plan], costs: PollRhythm.Costs = PollRhythm.Costs(), pause: Duration? = nil) -> Duration {
        PollRhythm().nextPoll(after: now, pause: pause, plans: plans, costs: costs) - now
    }

    @Test(arguments: [
        (hours: 100.0, minutes: 120.0), (hours: 51, minutes: 120), (hours: 40, minutes: 30), (hours: 7, minutes: 30),
        (hours: 5, minutes: 5), (hours: 0, minutes: 5), (hours: -0.5, minutes: 5), (hours: -5, minutes: 5), (hours: -8, minutes: 30),
    ])
    func nearerIsAskedMoreOften(hours: Double, minutes: Double) {
        #expect(wait([plan(in: .seconds(hours * 3600))]) == .seconds(minutes * 60))
    }

    @Test func nothingPlannedIsFar() {
        #expect(wait([]) == .seconds(7200))
        #expect(wait([Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"))]) == .seconds(7200))
        #expect(wait([plan(in: .seconds(-3 * 86_400))]) == .seconds(7200), "what is past has no say")
    }

    @Test func aPlanThatComesNearMeanwhileIsNotMissed() {
        // The plan comes within two days in ten minutes. At the far rhythm, the next poll would come only in two hours.
        #expect(wait([plan(in: .seconds(2 * 86_400 + 600))]) == .seconds(1800))
        #expect(wait([plan(in: .seconds(6 * 3600 + 60))]) == .seconds(300))
    }

    @Test func whatIsDearIsAskedRarely() {
        let plans = [plan(in: .seconds(3600))]
        #expect(wait(plans, costs: PollRhythm.Costs(isOnBattery: true)) == .seconds(600))
        #expect(wait(plans, costs: PollRhythm.Costs(isOnBattery: true, isMetered: true)) == .seconds(1200))
        #expect(wait([], costs: PollRhythm.Costs(isMetered: true)) == .seconds(4 * 3600))
    }

    @Test func aPauseAfterAFailureTakesAtMostTheRegularTime() {
        #expect(wait([], pause: .seconds(60)) == .seconds(60) && wait([], pause: .seconds(7201)) == .seconds(7200))
        #expect(wait([], costs: PollRhythm.Costs(isMetered: true), pause: .seconds(60)) == .seconds(120))
    }

    /// Whatever the plans, each poll comes after the one before, and no later than the far rhythm requires. While a plan is near, the polls
    /// come exactly in the near rhythm.
    @Test(arguments: 0..<200)
    func alwaysComes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let plans = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
            plan(
                in: .seconds(Int.random(in: -400_000...400_000, using: &generator)),
                lasting: .seconds(Int.random(in: 0...20_000, using: &generator)))
        }
        let rhythm = PollRhythm()
        var last = now
        for _ in 0..<20 {
            let next = rhythm.nextPoll(after: last, plans: plans)
            #expect(next > last && next - last <= rhythm.far)
            // While a plan is less than six hours away, the polls follow the near rhythm.
            let isNear = plans.contains { plan in plan.firstTime.map { last >= $0 - .seconds(6 * 3600) && next <= $0 } ?? false }
            if isNear { #expect(next - last == rhythm.near) }
            last = next
        }
    }
}
