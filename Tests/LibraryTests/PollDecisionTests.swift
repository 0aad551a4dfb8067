import Model
import TestSupport
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(15)))
struct PollDecisionTests {
    private let now = Samples.monday + .seconds(-86400)

    private func plans(_ generator: inout SeededGenerator) -> [PlanContents] {
        // Each attachment is in one state throughout an answer.
        let charts = (0..<8).map { Samples.attachment("c\($0)", updated: .random(in: 0..<3, using: &generator)) }
        return (0..<5).compactMap { id in
            guard Int.random(in: 0..<4, using: &generator) > 0 else { return nil }
            let picked = charts.shuffled(using: &generator).prefix(.random(in: 0...8, using: &generator))
            return Samples.contents("\(id)", day: .random(in: 0..<3, using: &generator), attachments: Array(picked))
        }
    }

    /// What a library holds after it carried out a decision.
    private func carriedOut(_ decision: PollDecision, on known: [PollDecision.Known]) -> [PollDecision.Known] {
        var after = Dictionary(uniqueKeysWithValues: known.map { ($0.contents.plan.id, $0) })
        for contents in decision.replaced { after[contents.plan.id, default: .init(contents: contents)].contents = contents }
        for id in decision.released { after[id]?.held = nil }
        for (id, held) in decision.held { after[id]?.held = held }
        for id in decision.gone { after[id]?.isGone = true }
        for id in decision.returned { after[id]?.isGone = false }
        let latest = Dictionary(uniqueKeysWithValues: decision.attachments.map { ($0.id, $0) })
        return after.values.sorted { $0.contents.plan.id < $1.contents.plan.id }.map { known in
            var known = known
            for item in known.contents.items.indices {
                known.contents.items[item].attachments = known.contents.items[item].attachments.map { latest[$0.id] ?? $0 }
            }
            return known
        }
    }

    private func isNothing(_ decision: PollDecision) -> Bool {
        decision.changes.isEmpty && decision.replaced.isEmpty && decision.attachments.isEmpty && decision.held.isEmpty
            && decision.released.isEmpty && decision.gone.isEmpty && decision.returned.isEmpty
    }

    @Test(arguments: 0..<60 as Range<UInt64>) func whatWasCarriedOutNeedsNoSecondDecision(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var known: [PollDecision.Known] = []
        for step in 0..<12 {
            let told = plans(&generator)
            let named: Set<PlanID>? = Bool.random(using: &generator) ? Set(told.map(\.plan.id)) : nil
            let time = now + .seconds(step * 600)
            let decision = PollDecision(known: known, told: told, named: named, at: time)

            let shuffled = PollDecision(
                known: known.shuffled(using: &generator), told: told.shuffled(using: &generator), named: named, at: time)
            #expect(shuffled.changes == decision.changes)
            #expect(Set(shuffled.replaced) == Set(decision.replaced))
            #expect(shuffled.attachments == decision.attachments)
            #expect(shuffled.held == decision.held)
            #expect(shuffled.gone == decision.gone)

            known = carriedOut(decision, on: known)
            #expect(isNothing(PollDecision(known: known, told: told, named: named, at: time)), "step \(step)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func noPollTakesMoreThanHalfOfAPlanAtOnce(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var known: [PollDecision.Known] = []
        for _ in 0..<12 {
            // Never an hour apart, so that nothing is ever confirmed.
            let after = carriedOut(PollDecision(known: known, told: plans(&generator), named: [], at: now), on: known)
            for before in known {
                let kept = after.first { $0.contents.plan.id == before.contents.plan.id }
                #expect((kept?.contents.attachments.count ?? 0) * 2 >= before.contents.attachments.count)
            }
            known = after
        }
    }
}
