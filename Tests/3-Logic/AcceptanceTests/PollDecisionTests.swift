import Model
import TestSupport
import Testing

@testable import Acceptance

@Suite(.timeLimit(.minutes(5)))
struct PollDecisionTests {
    private let now = Samples.monday + .seconds(-86400)

    private func plans(_ generator: inout SeededGenerator) -> [PlanContents] {
        // Within one answer, an attachment is in the same state in all plans.
        let charts = (0..<8).map { Samples.attachment("c\($0)", updated: .random(in: 0..<3, using: &generator)) }
        return (0..<5).compactMap { id in
            guard Int.random(in: 0..<4, using: &generator) > 0 else { return nil }
            let picked = charts.shuffled(using: &generator).prefix(.random(in: 0...8, using: &generator))
            return Samples.contents("\(id)", day: .random(in: 0..<3, using: &generator), attachments: Array(picked))
        }
    }

    private func isNothing(_ decision: PollDecision) -> Bool {
        decision.changes.isEmpty && decision.replaced.isEmpty && decision.attachments.isEmpty && decision.held.isEmpty
            && decision.released.isEmpty && decision.lost.isEmpty && decision.gone.isEmpty && decision.returned.isEmpty
    }

    @Test(arguments: 0..<60 as Range<UInt64>) func whatWasCarriedOutNeedsNoSecondDecision(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var known: [PollDecision.KnownPlan] = []
        for step in 0..<12 {
            let sent = plans(&generator)
            let named: Set<PlanID>? = Bool.random(using: &generator) ? Set(sent.map(\.plan.id)) : nil
            let time = now + .seconds(step * 600)
            let decision = PollDecision(known: known, sent: sent, named: named, at: time)

            let shuffled = PollDecision(
                known: known.shuffled(using: &generator), sent: sent.shuffled(using: &generator), named: named, at: time)
            #expect(shuffled.changes == decision.changes)
            #expect(Set(shuffled.replaced) == Set(decision.replaced))
            #expect(shuffled.attachments == decision.attachments)
            #expect(shuffled.held == decision.held)
            #expect(shuffled.lost == decision.lost)
            #expect(shuffled.gone == decision.gone)

            known = decision.carriedOut(on: known, at: time)
            #expect(isNothing(PollDecision(known: known, sent: sent, named: named, at: time)), "step \(step)")
        }
    }

    /// One poll can bring two versions of a chart if the service answers from two copies of its records and one copy lags behind.
    @Test(arguments: [false, true]) func theNewerOfTwoVersionsInOnePollCountsWhicheverComesLast(isReversed: Bool) {
        let (old, new) = (Samples.attachment("a", updated: 1, size: 10), Samples.attachment("a", updated: 5, size: 20))
        let known = ["1", "2"].map { PollDecision.KnownPlan(contents: Samples.contents($0, attachments: [old])) }
        let sent = [Samples.contents("1", attachments: [new]), Samples.contents("2", attachments: [old])]
        let decision = PollDecision(known: known, sent: isReversed ? sent.reversed() : sent, at: now)
        #expect(decision.attachments == [new])
        #expect(decision.replaced.map(\.attachments) == [])
        let after = decision.carriedOut(on: known, at: now)
        #expect(after.map(\.contents.attachments) == [[new], [new]])
        #expect(isNothing(PollDecision(known: after, sent: sent, at: now + .seconds(600))))
    }

    /// An earlier date is believed at once, or `ready` would report on the following plan. If a later date were believed
    /// and wrong, nobody would play from the plan.
    @Test(arguments: [(1, 1), (5, 3)]) func aPlanThatMovesIsBelievedOnlyToComeSooner(day: Int, believed: Int) throws {
        let charts = ["a", "b", "c", "d"].map { Samples.attachment($0) }
        let truth = Samples.contents("1", day: 3, attachments: charts)
        let sent = Samples.contents("1", day: day, attachments: [Samples.attachment("a", updated: 7)])
        let decision = PollDecision(known: [.init(contents: truth)], sent: [sent], at: now)
        #expect(decision.held[PlanID("1")]?.sent == sent)
        let known = decision.carriedOut(on: [.init(contents: truth)], at: now)
        #expect(known[0].contents.plan == Samples.contents("1", day: day == believed ? day : 3, attachments: []).plan)
        #expect(known[0].contents.items == truth.items, "the charts stay as they were")
        #expect(isNothing(PollDecision(known: known, sent: [sent], at: now + .seconds(600))))
        let confirmed = PollDecision(known: known, sent: [sent], at: now + .seconds(3600))
        #expect(confirmed.replaced == [sent])
    }

    /// The list states the plan's date, but the plan's contents were not received. Day 1 is believed, day 6 is later than the known date,
    /// and day -400 must be a mistake.
    @Test(arguments: [(1, 1), (6, 3), (-400, 3)]) func aPlanThatCannotBeReadIsBelievedOnlyToComeSooner(day: Int, believed: Int) {
        let known = [PollDecision.KnownPlan(contents: Samples.contents("1", day: 3, attachments: [Samples.attachment("a")]))]
        let listed = Samples.contents("1", day: day, attachments: []).plan
        let decision = PollDecision(known: known, sent: [], unread: [listed], named: [listed.id], at: now)
        let after = decision.carriedOut(on: known, at: now)
        #expect(after[0].contents.plan == Samples.contents("1", day: believed, attachments: []).plan)
        #expect(after[0].contents.items == known[0].contents.items, "the charts stay as they were")
        #expect(isNothing(PollDecision(known: after, sent: [], unread: [listed], named: [listed.id], at: now + .seconds(600))))
        #expect(PollDecision(known: [], sent: [], unread: [listed], named: [listed.id], at: now).replaced.isEmpty)
    }

    /// Wrong contents as a faulty service may send them for a plan: charts are missing, belong to no item, have other ids or are all left
    /// out by a choice, or the date differs.
    private func lie(about truth: PlanContents, _ generator: inout SeededGenerator) -> PlanContents {
        var sent = truth
        func drop(_ reason: LeftOut.Reason?, keeping share: Int) {
            for item in sent.items.indices {
                for chart in sent.items[item].attachments where Int.random(in: 0..<4, using: &generator) >= share {
                    sent.items[item].attachments.removeAll { $0.id == chart.id }
                    if let reason {
                        sent.leftOut.append(LeftOut(attachment: chart.id, filename: chart.filename, item: "", reason: reason))
                    }
                }
            }
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: drop(nil, keeping: .random(in: 0...3, using: &generator))
        case 1: drop(.ofNoItem(owner: "Arrangement"), keeping: .random(in: 0...3, using: &generator))
        case 2: drop(.noPermission, keeping: .random(in: 0...3, using: &generator))
        case 3: drop(.notChosen(rule: "include zzz"), keeping: 0)
        case 4:
            sent.items = []
        case 5:
            let years = [-10, -1, 1, 10].randomElement(using: &generator) ?? 1
            sent.plan.firstTime = truth.plan.firstTime.map { $0 + .seconds(years * 365 * 86_400) }
            sent.plan.lastTime = truth.plan.lastTime.map { $0 + .seconds(years * 365 * 86_400) }
        case 6: (sent.plan.firstTime, sent.plan.lastTime) = (nil, nil)
        default:
            for item in sent.items.indices {
                sent.items[item].attachments = sent.items[item].attachments.map { chart in
                    Samples.attachment("other \(chart.id)", filename: "other \(chart.filename)")
                }
            }
        }
        return sent
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func noLiesTakeMostOfAPlanOrItsDateWhileNothingConfirmsThem(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let charts = (0..<Int.random(in: 1...20, using: &generator)).map { Samples.attachment("c\($0)") }
        let truth = Samples.contents("1", attachments: charts)
        var known = [PollDecision.KnownPlan(contents: truth)]
        for poll in 0..<12 {
            // The polls take less than an hour together, so time confirms no lie. A lie may build on what an earlier lie achieved.
            let sent = lie(about: Bool.random(using: &generator) ? truth : known[0].contents, &generator)
            let time = now + .seconds(poll * 240)
            let decision = PollDecision(known: known, sent: [sent], named: [], at: time)
            known = decision.carriedOut(on: known, at: time)
            let kept = known[0].contents
            #expect(kept.attachments.count { chart in charts.contains { $0.id == chart.id } } * 2 >= charts.count)
            #expect(kept.plan.firstTime == truth.plan.firstTime)
            #expect(!kept.attachments.isEmpty)
            #expect((known[0].held != nil) || kept.plan == sent.plan)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func whatIsSentAgainAndAgainIsBelievedInItsTime(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let truth = Samples.contents("1", attachments: (0..<8).map { Samples.attachment("c\($0)") })
        let sent = lie(about: truth, &generator)
        var known = [PollDecision.KnownPlan(contents: truth)]
        var heldFor: HoldReason?
        for hour in 0...48 {
            let time = now - .seconds(86_400 * 3) + .seconds(hour * 3600)
            let decision = PollDecision(known: known, sent: [sent], at: time)
            heldFor = heldFor ?? decision.held.values.first?.reason
            known = decision.carriedOut(on: known, at: time)
        }
        // Some changes are never confirmed by time alone.
        let isBelieved = heldFor.map { $0.confirmation != nil } ?? true
        #expect(known[0].contents == (isBelieved ? sent : truth))
    }
}

extension PollDecision {
    /// The plans that a library knows after it has carried out this decision.
    func carriedOut(on known: [KnownPlan], at time: Timestamp) -> [KnownPlan] {
        var after = Dictionary(uniqueKeysWithValues: known.map { ($0.contents.plan.id, $0) })
        for contents in replaced { after[contents.plan.id, default: .init(contents: contents)].contents = contents }
        for id in released { after[id]?.held = nil }
        for (id, held) in held { after[id]?.held = held }
        for (id, lost) in lost { after[id]?.lost = lost }
        for id in gone { after[id]?.goneSince = time }
        for id in returned { after[id]?.goneSince = nil }
        let latest = Dictionary(uniqueKeysWithValues: attachments.map { ($0.id, $0) })
        return after.values.sorted { $0.contents.plan.id < $1.contents.plan.id }.map { known in
            var known = known
            for item in known.contents.items.indices {
                known.contents.items[item].attachments = known.contents.items[item].attachments.map { latest[$0.id] ?? $0 }
            }
            return known
        }
    }
}
