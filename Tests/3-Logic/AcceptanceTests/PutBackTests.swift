import Model
import TestSupport
import Testing

@testable import Acceptance

/// When the service was restored to an older state, the library keeps the newer state until somebody accepts the older one.
@Suite(.timeLimit(.minutes(5)))
struct PutBackTests {
    private let now = Samples.monday + .seconds(-86400)
    private let week = Duration.seconds(7 * 86_400)

    // MARK: Layers

    private func layer(_ revision: Int, _ marks: [String], at hours: Int? = nil, on attachment: String = "a") -> Layer {
        Layer(
            id: LayerID("l"), attachment: AttachmentID(attachment), revision: revision, updatedAt: hours.map { now + .seconds($0 * 3600) },
            marks: marks.map { Mark(id: $0, page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)]) })
    }

    private func decide(
        _ sent: Layer, kept: Layer, _ doubt: LayerDecision.Doubt? = nil, isSuspect: Bool = false, fault: String? = nil, at time: Timestamp
    ) -> LayerDecision {
        LayerDecision(
            sent: sent, digest: SHA256.digest(of: "\(sent)"), fault: fault, known: .init(kept: kept, doubt: doubt, isSuspect: isSuspect),
            at: time)
    }

    @Test func whatIsBuiltOnAnOlderStateTakesNothingAwayEither() throws {
        let kept = layer(10, ["1", "2", "three", "made", "between"])
        let older = decide(layer(7, ["1", "2"]), kept: kept, at: now)
        #expect(older.doubt?.reason == .older(revision: 7, than: 10) && !older.isAdopted)
        // Time alone is no reason to accept an older state.
        let later = decide(layer(7, ["1", "2"]), kept: kept, older.doubt, at: now + week)
        #expect(later.doubt?.reason == .older(revision: 7, than: 10) && !later.isAdopted)
        // A revision that was built on the older state overtakes the kept one.
        let new = layer(12, ["1", "2", "five", "new", "ones"])
        let overtaken = decide(new, kept: kept, later.doubt, at: now + week)
        #expect(overtaken.doubt?.reason == .putBack(missing: 3, of: 5) && !overtaken.isAdopted)
        #expect(decide(new, kept: kept, overtaken.doubt, at: now + week * 2).isAdopted == false)
        // An answer with an unreadable part does not make the library forget its doubt.
        let garbled = decide(layer(13, ["1"]), kept: kept, overtaken.doubt, fault: "?", at: now + week)
        #expect(garbled.doubt?.reason == .putBack(missing: 4, of: 5))
        #expect(decide(new, kept: kept, garbled.doubt, at: now + week).isAdopted == false)

        let whole = layer(13, ["1", "2", "three", "made", "between", "new"])
        let back = decide(whole, kept: kept, overtaken.doubt, at: now)
        #expect(back.isAdopted && back.doubt == nil)
        var accepted = try #require(overtaken.doubt)
        accepted.isAccepted = true
        let taken = decide(new, kept: kept, accepted, at: now)
        #expect(taken.isAdopted && taken.doubt == nil)
    }

    @Test func anEarlierTimeTakesNothingAwayUnlessTheFormerOneCannotBeRight() {
        let former = layer(3, ["1", "2"], at: -5)
        #expect(decide(layer(4, ["1"], at: -6), kept: former, at: now).doubt?.reason == .putBack(missing: 1, of: 2))
        #expect(decide(layer(3, ["1"], at: -6), kept: former, at: now).doubt?.reason == .putBack(missing: 1, of: 2))
        #expect(decide(layer(4, ["1"], at: -4), kept: former, at: now).isAdopted)
        #expect(decide(layer(4, ["1"]), kept: former, at: now).isAdopted)
        #expect(decide(layer(4, ["1", "2", "3"], at: -6), kept: former, at: now).isAdopted, "nothing is lost")
        #expect(decide(layer(2, ["1", "2", "3"]), kept: former, at: now).isAdopted, "nothing is lost")
        #expect(decide(layer(4, ["1"], at: -6), kept: layer(3, ["1", "2"], at: 24 * 365), at: now).isAdopted)
    }

    @Test func inAPollWithSuchASignNoOtherLayerTakesAnythingAway() {
        let kept = layer(3, ["1", "2"])
        #expect(decide(layer(4, ["1"]), kept: kept, isSuspect: true, at: now).doubt?.reason == .putBack(missing: 1, of: 2))
        var deleted = layer(4, [])
        deleted.deletedAt = now
        #expect(decide(deleted, kept: kept, isSuspect: true, at: now).doubt?.reason == .putBack(missing: 2, of: 2))
        #expect(decide(layer(4, ["1", "2"], on: "b"), kept: kept, isSuspect: true, at: now).isAdopted == false)
        #expect(decide(layer(4, ["1", "2", "3"]), kept: kept, isSuspect: true, at: now).isAdopted)
        #expect(LayerDecision.isSign(layer(2, ["1"]), fault: nil, known: .init(kept: kept), at: now))
        for sent in [layer(2, ["1", "2"]), layer(4, ["1"])] {
            #expect(!LayerDecision.isSign(sent, fault: nil, known: .init(kept: kept, isSuspect: true), at: now))
        }
        #expect(!LayerDecision.isSign(layer(0, []), fault: "its revision may be unreadable, too", known: .init(kept: kept), at: now))
    }

    // MARK: Charts

    private func known(_ contents: PlanContents..., held: HoldReason? = nil) -> [PollDecision.KnownPlan] {
        contents.map { contents in
            .init(contents: contents, held: held.map { .init(sent: contents, since: now, reason: $0) })
        }
    }

    private let new = Samples.attachment("x", updated: 10)
    private let old = Samples.attachment("x", updated: 7)
    private let other = Samples.attachment("y", updated: 3)

    @Test func anOlderChartReplacesNoNewerOneHoweverLongTheServiceSendsIt() throws {
        let (kept, sent) = (Samples.contents("1", attachments: [new, other]), Samples.contents("1", attachments: [old, other]))
        let first = PollDecision(known: known(kept), sent: [sent], at: now)
        #expect(first.held[PlanID("1")]?.reason == .putBack(older: 1))
        #expect(first.replaced.isEmpty && first.attachments.isEmpty)
        #expect(first.changes == [.planHeldBack(.init(kept.plan), .putBack(older: 1))])
        let waiting = [PollDecision.KnownPlan(contents: kept, held: first.held[PlanID("1")])]
        let later = PollDecision(known: waiting, sent: [sent], at: now + .seconds(30 * 3600))
        #expect(later.replaced.isEmpty && later.held.isEmpty && later.released.isEmpty)
        // A chart that is newer still does not end the doubt: the person who uploaded that chart has not seen the kept one.
        let overtaken = Samples.contents("1", attachments: [Samples.attachment("x", updated: 12), other])
        #expect(PollDecision(known: waiting, sent: [overtaken], at: now).replaced.isEmpty)
        #expect(PollDecision(known: waiting, sent: [kept], at: now).released == [PlanID("1")])
        let accepted = PollDecision(known: waiting, sent: [sent], accepted: [PlanID("1")], at: now)
        #expect(accepted.attachments == [old] && accepted.released == [PlanID("1")])
    }

    @Test func inAPollWithAnOlderChartNoOtherPlanLosesOrReplacesOne() {
        let mine = Samples.contents("1", attachments: [new])
        let others = ["2", "3", "4", "5"].map { Samples.contents($0, attachments: [other, Samples.attachment("z")]) }
        let sent = [
            Samples.contents("1", attachments: [old]),
            Samples.contents("2", attachments: [other]),
            Samples.contents("3", attachments: [other, Samples.attachment("z", updated: 4)]),
            Samples.contents("4", attachments: [other, Samples.attachment("z"), Samples.attachment("more")]),
            others[3],
        ]
        let decision = PollDecision(known: known(mine) + others.flatMap { known($0) }, sent: sent, at: now)
        #expect(Set(decision.held.keys) == Set(["1", "2", "3"].map { PlanID($0) }))
        #expect(decision.replaced.map(\.plan.id) == [PlanID("4")])
        // Without the older chart, the other plans' changes are ordinary.
        let usual = PollDecision(known: others.flatMap { known($0) }, sent: Array(sent.dropFirst()), at: now)
        #expect(usual.held.isEmpty)
    }

    /// Plans share their attachments, so the doubt about one plan also covers the other. The uploader of the newest chart has not seen the
    /// kept one.
    @Test func whileAPlanWaitsItsChartsStayInOtherPlansToo() {
        let kept = ["1", "2"].map { Samples.contents($0, attachments: [new]) }
        let overtaken = Samples.contents("2", attachments: [Samples.attachment("x", updated: 12)])
        let decision = PollDecision(known: known(kept[0], held: .putBack(older: 1)) + known(kept[1]), sent: [overtaken], at: now)
        #expect(decision.held[PlanID("2")]?.reason == .putBack(older: 1) && decision.attachments.isEmpty)
        #expect(PollDecision(known: known(kept[1]), sent: [overtaken], at: now).attachments == overtaken.attachments)
    }

    @Test func aPlanThatIsOverHoldsNothingUp() {
        let over = known(Samples.contents("1", attachments: [new]), held: .putBack(older: 1))
        let coming = Samples.contents("2", day: 40, attachments: [new])
        let sent = Samples.contents("2", day: 40, attachments: [Samples.attachment("x", updated: 12)])
        let decision = PollDecision(
            known: over + known(coming), sent: [sent], named: [PlanID("2")], at: Samples.monday + .seconds(30 * 86_400))
        #expect(decision.held.isEmpty && decision.attachments == sent.attachments && decision.released == [PlanID("1")])
    }

    @Test func aPlanThatNobodyKnewShowsTheNewerChartAndIsDoubtedAtOnce() {
        let (mine, sent) = (Samples.contents("1", attachments: [new]), Samples.contents("9", attachments: [old]))
        let decision = PollDecision(known: known(mine), sent: [sent], at: now)
        #expect(decision.replaced == [Samples.contents("9", attachments: [new])])
        #expect(decision.attachments.isEmpty)
        #expect(decision.held[PlanID("9")]?.sent == sent)
    }

    /// A chart without a time, or with a time in the future, does not show which version is older.
    @Test func noTimeOrAnImpossibleOneIsNoSign() {
        var timeless = old
        timeless.updatedAt = nil
        var impossible = new
        impossible.updatedAt = now + .seconds(86_400 * 365)
        for (kept, sent) in [(new, timeless), (impossible, old), (timeless, old)] {
            let decision = PollDecision(
                known: known(Samples.contents("1", attachments: [kept])), sent: [Samples.contents("1", attachments: [sent])], at: now)
            #expect(decision.held.isEmpty && decision.attachments == [sent])
        }
    }

    @Test func aChartMadeOnDemandIsAsOldAsItsArrangement() {
        func made(_ day: Int, _ key: String) -> PlanContents {
            var chart = new
            (chart.isGenerated, chart.generatedFrom) = (true, "2026-11-0\(day)T10:00:00Z \(key)")
            return Samples.contents("1", attachments: [chart])
        }
        #expect(PollDecision(known: known(made(5, "G")), sent: [made(3, "G")], at: now).held.count == 1)
        #expect(PollDecision(known: known(made(5, "G")), sent: [made(5, "F")], at: now).held.isEmpty)
        #expect(PollDecision(known: known(made(5, "G")), sent: [made(6, "F")], at: now).held.isEmpty)
    }
}
