import Model
import TestSupport
import Testing

@testable import Acceptance

/// Which changes of a plan's contents are believed immediately, and how long others are held back.
@Suite(.timeLimit(.minutes(5)))
struct PlanDoubtTests {
    private static let whole = plan("a", "b", "c", "d", "e")
    private static let shrunk = plan("a", "b")

    private static func plan(
        _ charts: String..., leftOut: [String] = [], because reason: LeftOut.Reason = .notChosen(rule: "include zzz"),
        choice: String? = nil, renamed: Bool = false
    ) -> PlanContents {
        var contents = Samples.contents("1", attachments: charts.map { Samples.attachment($0) })
        contents.choice = choice
        contents.leftOut = leftOut.map {
            LeftOut(attachment: AttachmentID($0), filename: renamed ? "renamed" : "\($0).pdf", item: "", reason: reason)
        }
        return contents
    }

    /// The plan `whole`, moved by `days`. With `nil`, the plan has no time.
    private static func moved(days: Int?) -> PlanContents {
        var moved = whole
        moved.plan.firstTime = days.flatMap { days in whole.plan.firstTime.map { $0 + .seconds(days * 86_400) } }
        moved.plan.lastTime = days.flatMap { days in whole.plan.lastTime.map { $0 + .seconds(days * 86_400) } }
        return moved
    }

    private static func emptied(_ reason: LeftOut.Reason) -> PlanContents { plan(leftOut: ["a", "b", "c", "d", "e"], because: reason) }

    /// The believed contents after each poll.
    private struct Belief {
        private(set) var known: [PollDecision.KnownPlan]

        init(_ plans: PlanContents...) { known = plans.map { .init(contents: $0) } }

        var plans: [PlanContents] { known.map(\.contents) }
        var held: [HoldReason] { known.compactMap(\.held?.reason) }

        /// Receives these plans in a poll. `minutes` count from one day before the first plan.
        @discardableResult
        mutating func receive(
            _ sent: PlanContents..., named: Set<PlanID>? = nil, ahead: Duration? = nil, at minutes: Int = 0
        ) -> PollDecision {
            let time = Samples.monday + .seconds(-86_400 + minutes * 60)
            let decision = PollDecision(known: known, sent: sent, named: named, ahead: ahead, at: time)
            known = decision.carriedOut(on: known, at: time)
            return decision
        }
    }

    private static func lost(_ count: Int) -> HoldReason { .chartsLost(count, of: 5) }
    private static func date(_ days: Int?) -> HoldReason {
        .dateDoubtful(from: whole.plan.firstTime, to: moved(days: days).plan.firstTime)
    }

    /// Contents that the service sends for a plan of five charts, and the reason to hold them back; `nil` if they are believed immediately.
    private static let cases: [(sent: PlanContents, held: HoldReason?)] = [
        (plan("a", "b", "c"), nil), (shrunk, lost(3)),
        // The charts are missing for various reasons.
        (emptied(.ofNoItem(owner: "Song")), .listsDisagree(5, of: 5)), (emptied(.noPermission), lost(5)), (emptied(.notAPDF), lost(5)),
        (emptied(.notChosen(rule: "include zzz")), .nothingChosen(rule: "include zzz")),
        // A file with a new id and the old name counts as the same file.
        (renumbered(["a", "b", "c", "d", "e"]), nil), (plan("p", "q", "r", "s", "t"), lost(5)),
        (moved(days: -1), nil), (moved(days: 7), nil), (moved(days: 60), nil),
        (moved(days: -365), date(-365)), (moved(days: -3), date(-3)), (moved(days: 365), date(365)), (moved(days: nil), date(nil)),
    ]

    private static func renumbered(_ names: [String]) -> PlanContents {
        Samples.contents("1", attachments: names.map { Samples.attachment("new \($0)", filename: "\($0).PDF") })
    }

    @Test(arguments: cases.indices) func whatIsDoubtedIsBelievedInItsTime(index: Int) {
        let (sent, held) = Self.cases[index]
        var belief = Belief(Self.whole)
        let changes = belief.receive(sent).changes
        guard let held else { return #expect(belief.plans == [sent] && belief.held == []) }
        #expect(changes == [.planHeldBack(.init(Self.whole.plan), held)])
        let hour = 60
        let confirmed =
            switch held {
            case .chartsLost: hour
            case .dateDoubtful: 24 * hour
            default: 1000 * hour
            }
        for minutes in [1, confirmed - 1] {
            #expect(belief.receive(sent, at: minutes).changes.isEmpty, "it is reported once")
            #expect(belief.plans == [Self.whole] && belief.held == [held])
        }
        belief.receive(sent, at: confirmed)
        #expect(belief.plans == [held.confirmation == nil ? Self.whole : sent])
        #expect(belief.held == (held.confirmation == nil ? [held] : []))
    }

    @Test func otherContentsAndAClockThatWasWrongBeginTheHourAnew() {
        var belief = Belief(Self.whole)
        belief.receive(Self.shrunk)
        let other = Self.plan("a")
        for minutes in [30, 80, 89] {
            belief.receive(other, at: minutes)
            #expect(belief.plans == [Self.whole])
        }
        belief.receive(other, at: 90)
        #expect(belief.plans == [other])
        belief = Belief(Self.whole)
        for minutes in [1_000_000, 0, 59] {
            belief.receive(Self.shrunk, at: minutes)
            #expect(belief.plans == [Self.whole])
        }
        belief.receive(Self.shrunk, at: 60)
        #expect(belief.plans == [Self.shrunk])
    }

    @Test func aPlanThatIsWholeAgainIsHeldBackNoMore() {
        var belief = Belief(Self.whole)
        belief.receive(Self.shrunk)
        #expect(belief.receive(Self.whole, at: 1).changes.isEmpty && belief.held == [])
        belief.receive(Self.shrunk, at: 61)
        #expect(belief.plans == [Self.whole])
    }

    // MARK: Choices

    /// If the rule is unchanged or the files were renamed, the service caused the loss, and not the musician's choice.
    @Test(arguments: [
        // Choice before and after, whether the files were renamed, and whether the loss counts as chosen.
        ("*.pdf", "*.pdf", false, false), ("*.pdf", "*.pdf", true, false), ("*.pdf", "a*", true, false), ("*.pdf", "a*", false, true),
        (nil, "a*", false, true), (nil, "*.pdf", true, false),
    ])
    func onlyAnotherChoiceLeavesOutByChoice(before: String?, after: String, isRenamed: Bool, isChosen: Bool) {
        var kept = Self.whole
        kept.choice = before
        let sent = Self.plan("a", leftOut: ["b", "c", "d", "e"], choice: after, renamed: isRenamed)
        var belief = Belief(kept)
        belief.receive(sent)
        #expect(belief.plans == [isChosen ? sent : kept])
        #expect(belief.held == (isChosen ? [] : [Self.lost(4)]))
    }

    /// Another plan of the same type has charts, so the choice itself seems right. The loss of the last chart is doubted nevertheless.
    @Test func theLastChartIsMissedThoughAllOthersWereLeftOutByChoice() {
        var belief = Belief(Self.whole)
        belief.receive(
            Self.plan(leftOut: ["b", "c", "d", "e"], choice: "z*"), Samples.contents("2", attachments: [Samples.attachment("z")]))
        #expect(belief.plans.first == Self.whole && belief.held == [Self.lost(1)])
    }

    @Test func aChoiceThatServesAnotherPlanOfItsKindIsMeant() {
        let other = Samples.contents("2", day: 1, attachments: [Samples.attachment("x")])
        let emptied = Self.emptied(.notChosen(rule: "include drums"))
        var belief = Belief(Self.whole)
        belief.receive(other, emptied)
        #expect(belief.plans == [emptied, other] && belief.held == [])
    }

    // MARK: Sets of one's own

    private static func set(_ charts: String..., songsWithoutChart: Int = 0) -> PlanContents {
        set(of: charts.map { Samples.attachment($0) }, songsWithoutChart: songsWithoutChart)
    }

    private static func set(of charts: [Model.Attachment], songsWithoutChart: Int = 0) -> PlanContents {
        var set = Samples.contents("1", attachments: charts)
        set.plan.id = .ofSet("2026-11-22.txt")
        for number in 0..<songsWithoutChart {
            set.items.append(PlanItem(id: ItemID("without \(number)"), sequence: 9, title: "Unknown \(number)"))
        }
        for index in set.items.indices { set.items[index].kind = "song" }
        return set
    }

    private static let sets: [(kept: PlanContents, found: PlanContents, held: HoldReason?)] = [
        (set("a", "b", "c", "d"), set("a", "b", "c"), nil), (set("a", "b", "c", "d"), set("a", "b"), .chartsLost(2, of: 4)),
        (set("a", "b"), set("b"), nil), (set("a"), set(), .chartsLost(1, of: 1)),
        // Another arrangement often has another name.
        (set("a", "b", "c", "d"), set("p", "q", "r", "s"), nil), (set("a", "b", "c", "d"), set("a", "x", "y"), nil),
        (set("a", "b", "c", "d"), set("a", "x"), .chartsLost(2, of: 4)),
        // A list that was cut short.
        (set("a", songsWithoutChart: 5), set("a"), .chartsLost(5, of: 6)),
        (set("a", songsWithoutChart: 2), set("a", songsWithoutChart: 1), nil),
    ]

    @Test(arguments: sets.indices) func aSetThatLostHalfIsDoubtedForAnHour(index: Int) {
        let (kept, found, held) = Self.sets[index]
        var belief = Belief(kept)
        belief.receive(found)
        #expect(belief.held == (held.map { [$0] } ?? []))
        #expect(belief.plans == [held == nil ? found : kept])
        #expect(belief.receive(found, at: 1).changes.isEmpty, "the same once more decides nothing anew")
        belief.receive(found, at: 60)
        #expect(belief.plans == [found] && belief.held == [])
    }

    @Test func oneFileInTwoKeysMayReplaceTwoOfItsName() {
        let former = ["a", "b"].map { Samples.attachment($0, filename: "Grace.cho") }
        let inKeys = ["G", "D"].map { key in
            var chart = Samples.attachment("new", filename: "Grace.cho")
            chart.generatedFrom = key
            return chart
        }
        var belief = Belief(Self.set(of: former))
        belief.receive(Self.set(of: inKeys))
        #expect(belief.held == [] && belief.plans.flatMap(\.attachments).allSatisfy { $0.id == AttachmentID("new") })
    }

    @Test func aSetThatLosesHalfBitByBitIsDoubted() {
        var belief = Belief(Self.set("a", "b", "c", "d"))
        belief.receive(Self.set("a", "b", "c"))
        belief.receive(Self.set("a", "b"), at: 1)
        #expect(belief.plans == [Self.set("a", "b", "c")] && belief.held == [.chartsLost(2, of: 4)])
    }

    // MARK: Dates

    @Test func aPlanThatWouldNotBeKeptReadyAnyMoreIsHeldBackForADay() {
        let (near, far) = (Self.moved(days: 20), Self.moved(days: 40))
        let ahead = Duration.seconds(28 * 86_400)
        var belief = Belief(Self.whole)
        belief.receive(near, ahead: ahead)
        #expect(belief.plans == [near])
        belief.receive(far, ahead: ahead)
        #expect(belief.plans == [near] && belief.held == [.dateDoubtful(from: near.plan.firstTime, to: far.plan.firstTime)])
        belief.receive(far, ahead: ahead, at: 24 * 60)
        #expect(belief.plans == [far])
        // A plan that was not kept ready may move to any date.
        belief.receive(Self.moved(days: 90), ahead: ahead, at: 24 * 60)
        #expect(belief.plans == [Self.moved(days: 90)])
    }

    /// A move from the past to the future is taken for a correction, for example if the plan first had a wrong year.
    @Test func aPlanThatWasOverAndIsToComeIsBelieved() {
        var belief = Belief(Self.moved(days: -365))
        belief.receive(Self.whole, ahead: .seconds(28 * 86_400))
        #expect(belief.plans == [Self.whole] && belief.held == [])
    }

    // MARK: Plans that are not named

    private static let others = (2...4).map { Samples.contents("\($0)", day: $0 + 3, attachments: []) }
    private static let all = Set(([whole] + others).map(\.plan.id))

    @Test func aListWithoutMostPlansIsDoubtedForAnHour() {
        var belief = Belief(Self.whole, Self.others[0], Self.others[1], Self.others[2])
        func isDoubted(_ named: Set<PlanID>, at minutes: Int) -> Bool {
            let doubt = PollDecision.doubt(about: named, knowing: belief.known, at: Samples.monday + .seconds(-86_400 + minutes * 60))
            return doubt.map { $0 == (4, 4) } ?? false
        }
        #expect(!isDoubted(Self.all.subtracting([PlanID("2"), PlanID("3")]), at: 0))
        #expect(isDoubted([], at: 0))
        belief.receive(named: [])
        #expect(isDoubted([], at: 59) && !isDoubted([], at: 60))
        #expect(belief.plans.count == 4)
    }

    @Test(arguments: [60, 24 * 60]) func aDoubtEndsWhereThePlanIsGoneForAsLongAsItWouldHaveBeenConfirmed(minutes: Int) {
        let rest = Self.all.subtracting([Self.whole.plan.id])
        let doubtful = minutes == 60 ? Self.shrunk : Self.moved(days: 365)
        var belief = Belief(Self.whole, Self.others[0], Self.others[1], Self.others[2])
        belief.receive(doubtful, named: Self.all)
        // The doubt stays in all these cases: the time is too short, the list lacks most plans or is incomplete, or the clock was set back.
        let polls: [(named: Set<PlanID>?, at: Int)] = [
            (rest, 1), (rest, minutes), ([], minutes + 1), (nil, minutes + 1), (rest, 0),
        ]
        for poll in polls {
            belief.receive(named: poll.named, at: poll.at)
            #expect(belief.held.count == 1, "\(poll)")
        }
        belief.receive(named: rest, at: minutes + 1)
        #expect(belief.held == [] && belief.plans.first == Self.whole)
        // If the service sends the same contents again, they are doubted again.
        belief.receive(doubtful, named: Self.all, at: minutes + 2)
        #expect(belief.held.count == 1 && belief.plans.first == Self.whole)
    }

    /// The service lists only plans that have not begun, so the absence of a begun plan means nothing.
    @Test func aPlanThatHasBegunDropsOutOfTheListUnflagged() {
        var belief = Belief(Self.whole)
        #expect(belief.receive(named: [], at: 24 * 60).changes.isEmpty && belief.known[0].goneSince == nil)
    }

    // MARK: Plans that are only listed

    private func unread(_ id: String, day: Int = 1, since minutes: Int, _ reason: String? = nil) -> UnreadPlan {
        UnreadPlan(
            plan: Samples.contents(id, day: day, attachments: []).plan, since: Samples.monday + .seconds(minutes * 60), reason: reason)
    }

    @Test func aPlanThatCannotBeReadIsRememberedSinceItFirstWasUntilItIsReadOrNotExpected() {
        func after(_ former: [UnreadPlan], _ failed: [UnreadPlan], sent: [PlanContents] = [], expected: Set<PlanID>? = nil) -> [UnreadPlan]
        {
            PollDecision.unread(
                after: former, failed, known: [.init(contents: Self.whole)], sent: sent, expected: expected)
        }
        let first = unread("9", since: 0, "500")
        #expect(after([], [first]) == [first])
        #expect(after([first], []) == [first], "a service that does not answer has withdrawn nothing")
        #expect(after([first], [unread("9", since: 5)]) == [first], "since then, and for the reason that is known")
        #expect(after([first], [unread("9", since: 5, "403")]) == [unread("9", since: 0, "403")])
        #expect(after([first], [], sent: [Samples.contents("9", attachments: [])]) == [])
        #expect(after([first], [], expected: [PlanID("1")]) == [] && after([first], [], expected: [PlanID("9")]) == [first])
        // A plan whose contents are known does not count as unread, unless it was moved.
        #expect(after([], [unread("1", day: 0, since: 0)]) == [])
        #expect(after([], [unread("1", day: 3, since: 0)]).map(\.plan.id) == [PlanID("1")])
    }
}
