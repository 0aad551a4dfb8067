import Band
import BandLayout
import Model
import Testing

/// | a device's report on the plan | counts as | is everybody ready |
/// |---|---|---|
/// | ready, recent | ready | yes |
/// | not ready | unready | no |
/// | ready, but old or dated in the future | old | no |
/// | none, although a recent report lists all plans up to this plan's date | without | does not matter |
/// | none in any other case | silent | no |
struct BandReadinessTests {
    private let now = Timestamp("2026-11-27T09:00:00Z")!
    private var plan: Plan { Plan(id: PlanID("p"), serviceType: ServiceTypeID("1"), firstTime: now + .seconds(2 * 86_400)) }

    private func head(
        _ person: String, _ device: Character, ready: Bool? = nil, hoursAgo: Int = 1, of plan: String = "p", plans: Int = 1
    ) -> BandHead {
        let asOf = now - .seconds(hoursAgo * 3600)
        let words = ready.map { isReady in
            (0..<plans).map { number in
                BandHead.Readiness(
                    plan: PlanID(number == 0 ? plan : "q\(number)"), title: "", time: nil, isReady: isReady,
                    lacks: isReady ? [] : ["Grace: not drawn"], asOf: asOf)
            }
        }
        return BandHead(
            device: BandDevice(String(repeating: device, count: 16)), counter: 1, person: person, name: "laptop \(device)",
            readiness: words ?? [], asOf: words == nil ? nil : asOf)
    }

    private func states(_ heads: [BandHead]) -> [String] {
        BandReadiness(of: plan, from: heads, at: now).people.map { "\($0.name): \($0.state.rawValue)" }
    }

    private func isReady(_ heads: [BandHead]) -> Bool { BandReadiness(of: plan, from: heads, at: now).isReady }

    @Test func whatIsSaidCountsWhileItIsFresh() {
        let anna = head("Anna", "a", ready: true)
        #expect(isReady([anna]))
        #expect(!isReady([]))
        #expect(!isReady([anna, head("Ben", "b", ready: false)]))
        #expect(states([anna, head("Ben", "b", ready: true, hoursAgo: 25)]) == ["Anna: ready", "Ben: old"])
        #expect(states([head("Ben", "b", ready: true, hoursAgo: -2)]) == ["Ben: old"], "its clock is wrong")
        #expect(states([anna, head("Ben", "b")]) == ["Anna: ready", "Ben: silent"])
    }

    @Test func onlyWhoSpokeOfAllPlansUntilThenIsWithoutThisOne() {
        let anna = head("Anna", "a", ready: true)
        #expect(isReady([anna, head("Ben", "b", ready: true, of: "another")]))
        #expect(states([head("Ben", "b", ready: true, hoursAgo: 30, of: "another")]) == ["Ben: silent"])
        #expect(states([head("Ben", "b", ready: true, of: "another", plans: BandHead.mostPlans)]) == ["Ben: silent"], "there may be more")
        var late = plan
        late.firstTime = now + .seconds(40 * 86_400)
        #expect(BandReadiness(of: late, from: [head("Ben", "b", ready: true, of: "another")], at: now).people[0].state == .silent)
    }

    @Test func ofOnePersonTheDeviceCountsOnWhichThePlanWasOpenedLast() {
        var devices = [head("Anna", "a", ready: true), head("Anna", "b", ready: false)]
        for (place, other) in [1, 0].enumerated() { devices[place].kin = [devices[other].device] }
        func open(_ place: Int, hoursAgo: Int) {
            let word = devices[place].readiness[0]
            devices[place].readiness[0] = BandHead.Readiness(
                plan: word.plan, title: "", time: nil, isReady: word.isReady, lacks: word.lacks, asOf: word.asOf,
                opened: now - .seconds(hoursAgo * 3600))
        }
        #expect(states(devices) == ["Anna: not-ready"], "nobody knows which one is played from")
        open(0, hoursAgo: 5)
        #expect(states(devices) == ["Anna: ready"])
        open(1, hoursAgo: 2)
        #expect(states(devices) == ["Anna: not-ready"] && !isReady(devices))
        open(0, hoursAgo: 1)
        #expect(isReady(devices))
        open(1, hoursAgo: -100)
        #expect(isReady(devices), "a clock that is wrong decides nothing")
        // Two devices belong to one musician only if each of them names the other.
        devices[1].kin = []
        #expect(states(devices) == ["Anna (laptop a): ready", "Anna (laptop b): not-ready"])
    }

    /// Nobody becomes ready because another member has the same name, or because of an old laptop in a drawer.
    @Test func devicesOfOneNameSpeakForThemselves() {
        let heads = [head("Anna", "a", ready: true), head("Anna", "b", ready: false)]
        #expect(states(heads) == ["Anna (laptop a): ready", "Anna (laptop b): not-ready"])
        #expect(!isReady(heads))
        #expect(!isReady([head("Anna", "a", ready: true), head("Anna", "b")]))
    }

    @Test func aSetThatSomebodySharesIsThatPersonsOwnPlan() {
        let own = PlanID.ofSet("2026-11-29 Advent")
        let anna = head("Anna", "a", ready: true, of: own.text)
        let shared = PlanID.ofBand(anna.device, own.sharedID)
        let heads = [anna, head("Ben", "b", ready: false, of: shared.text)]
        for id in [own, shared] {
            var plan = plan
            plan.id = id
            let people = BandReadiness(of: plan, from: heads, at: now).people
            #expect(people.map { "\($0.name): \($0.state.rawValue)" } == ["Anna: ready", "Ben: not-ready"])
        }
    }

    @Test func whoLeftIsNotWaitedFor() {
        var ben = head("Ben", "b", ready: false)
        ben.hasLeft = true
        #expect(isReady([head("Anna", "a", ready: true), ben]))
    }
}
