import Freshness
import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NextPlansTests {
    private static let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)

    /// A plan whose times are given in hours from now; `nil` for a time that the service does not state. `end` is by default `first`.
    private static func plan(_ id: String, first: Int? = nil, service: Int? = nil, end: Int? = nil) -> PlanContents {
        func time(_ hours: Int?) -> Timestamp? { hours.map { now + .seconds($0 * 3600) } }
        return PlanContents(
            plan: Plan(
                id: PlanID(id), serviceType: ServiceTypeID("1"), firstTime: time(first), lastTime: time(end ?? first),
                serviceTime: time(service)),
            items: [])
    }

    private func next(_ plans: [PlanContents], gone: Set<PlanID> = []) -> [String] {
        let forth = NextPlans.among(plans, gone: gone, at: Self.now).map(\.plan.id.text)
        #expect(NextPlans.among(plans.reversed(), gone: gone, at: Self.now).map(\.plan.id.text) == forth)
        return forth
    }

    @Test func rehearsalThatIsBehindMakesNoPlanTheNext() {
        let rehearsed = Self.plan("rehearsed", first: -30, service: 40, end: 42)
        #expect(next([rehearsed, Self.plan("soon", first: 2, end: 3)]) == ["soon"])
        #expect(next([rehearsed, Self.plan("later", first: 50)]) == ["rehearsed", "later"])
    }

    @Test func whatHasEndedIsNotTheNextWhileAnotherComes() {
        let morning = Self.plan("morning", first: -11, end: -10)
        #expect(next([morning, Self.plan("evening", first: 2)]) == ["evening"])
        #expect(next([morning, Self.plan("nextWeek", first: 160)]) == ["nextWeek"])
        #expect(next([morning, Self.plan("anyDay")]) == ["anyDay"])
        #expect(next([morning, Self.plan("earlier", first: -14, end: -12)]) == ["morning"])
    }

    @Test func anEndBeforeTheBeginningMakesNoPlanPast() {
        let slip = Self.plan("slip", first: 3, end: -21)
        #expect(!slip.plan.isPast(at: Self.now) && !slip.plan.isPast(at: Self.now + .seconds(4 * 3600)))
        #expect(slip.plan.isPast(at: Self.now + .seconds(16 * 3600)))
        #expect(next([slip, Self.plan("later", first: 50)]) == ["slip"])
        let begun = Self.plan("begun", first: 0, end: -24)
        #expect(next([begun, Self.plan("later", first: 50)]) == ["begun"])
    }

    @Test func whatIsOnComesFirstAndTheRestOfTheDayWithIt() {
        let on = Self.plan("on", first: -1, service: -1, end: 0)
        #expect(next([on, Self.plan("evening", first: 7), Self.plan("tomorrow", first: 22)]) == ["on", "evening"])
    }

    @Test func aPlanThatIsNoLongerNamedComesAfterThoseThatAre() {
        let plans = [Self.plan("gone", first: 2), Self.plan("over", first: -90), Self.plan("named", first: 50)].map(\.plan)
        func order(_ gone: Set<PlanID>) -> [String] {
            plans.sorted { NextPlans.isEarlier($0, than: $1, gone: gone, at: Self.now) }.map(\.id.text)
        }
        #expect(order([PlanID("gone")]) == ["named", "gone", "over"])
        #expect(order([]) == ["gone", "named", "over"])
    }

    @Test func wholeDayIsMeant() {
        let plans = [
            Self.plan("third", first: 39), Self.plan("first", first: 30), Self.plan("second", first: 32), Self.plan("other", first: 54),
        ]
        #expect(next(plans) == ["first", "second", "third"])
    }

    /// The plan lasts for days. The service states when the plan ends, but not when its next time begins.
    @Test func planWhoseNextTimeIsUnknownHidesNoOther() {
        let begun = Self.plan("begun", first: -30, end: 42)
        #expect(next([begun, Self.plan("between", first: 20), Self.plan("after", first: 50)]) == ["begun", "between"])
    }

    @Test func planThatTheServiceNamesNoMoreStandsForNoOther() {
        let ghost = Self.plan("ghost", first: 5)
        let gone: Set = [PlanID("ghost")]
        #expect(next([ghost, Self.plan("anew", first: 5)], gone: gone) == ["anew", "ghost"])
        #expect(next([ghost, Self.plan("later", first: 90), Self.plan("last", first: 200)], gone: gone) == ["ghost", "later"])
        #expect(next([ghost], gone: gone) == ["ghost"])
        #expect(next([], gone: gone) == [])
    }

    @Test func plansWithoutTimesMayAllBeTheNext() {
        #expect(next([Self.plan("b"), Self.plan("a")]) == ["a", "b"])
        #expect(next([Self.plan("a"), Self.plan("soon", first: 2), Self.plan("later", first: 90)]) == ["soon", "a"])
        #expect(next([Self.plan("a"), Self.plan("soon", first: 2)], gone: [PlanID("a")]) == ["soon"])
    }
}
