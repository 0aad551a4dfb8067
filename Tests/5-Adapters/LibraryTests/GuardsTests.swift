import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// The data that the library keeps when a poll brings less.
@Suite(.onLoop)
struct GuardsTests {
    private let home = TemporaryFolder()
    private let whole = Samples.contents("1", attachments: ["a", "b", "c", "d", "e"].map { Samples.attachment($0) })
    private let shrunk = Samples.contents("1", attachments: ["a", "b"].map { Samples.attachment($0) })
    private let now = Samples.monday + .seconds(-86400)
    private let minute = Duration.seconds(60)

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([whole], at: now)
        return library
    }

    private func isShrink(_ change: LibraryChange) -> Bool {
        if case .planShrunk(_, 5, 2) = change { true } else { false }
    }

    @Test @LoopActor func aPlanThatLosesMostChartsIsKeptAndToldOnce() throws {
        let library = try library()
        let change = LibraryChange.planHeldBack(.init(whole.plan), .chartsLost(3, of: 5))
        #expect(try library.plans.update([shrunk], at: now) == [change])
        #expect(try library.plans.all() == [whole])
        #expect(try library.plans.heldBack().map(\.sent) == [shrunk])
        #expect(try library.plans.heldBack().map(\.chartsKept) == [5])

        let bytes = try library.diskBytes()
        #expect(try library.plans.update([shrunk], at: now + minute * 59) == [])
        #expect(try library.diskBytes() == bytes)
        #expect(try library.journal.entries().map(\.change) == [.planAdded(.init(whole.plan)), change])
    }

    @Test @LoopActor func anHourConfirmsIt() throws {
        var library = try library()
        try library.plans.update([shrunk], at: now)
        library.close()
        library = try Library(folder: home.path)
        #expect(try library.plans.update([shrunk], at: now + minute * 60).contains(where: isShrink))
        #expect(try library.plans.all() == [shrunk])
        #expect(try library.plans.heldBack() == [])
        #expect(try library.plans.update([shrunk], at: now + minute * 61) == [])
    }

    /// A dual boot puts the clock off by hours, and the network sets it right: no hour has passed.
    @Test(arguments: [Duration.seconds(-7200), .seconds(7200)])
    @LoopActor func settingTheClockConfirmsNothing(ahead: Duration) throws {
        let library = try library()
        try library.service.record(clockAhead: ahead, at: now + ahead)
        try library.plans.update([shrunk], at: now + ahead)
        // Right, wrong again, and right.
        for (place, isWrong) in [false, true, false].enumerated() {
            let time = now + minute * (place + 1) + (isWrong ? ahead : .zero)
            try library.service.record(clockAhead: isWrong ? ahead : nil, at: time)
            #expect(try library.plans.update([shrunk], at: time) == [])
            #expect(try library.plans.all() == [whole])
        }
        let since = now + minute * 3
        try library.service.record(clockAhead: nil, at: since + minute * 59)
        #expect(try library.plans.update([shrunk], at: since + minute * 59) == [])
        #expect(try library.plans.update([shrunk], at: since + minute * 60).contains(where: isShrink))
    }

    @Test @LoopActor func aClockIsNotedOnlyIfEveryHourBeganAnewWithIt() throws {
        let library = try library()
        try library.plans.update([shrunk], at: now)
        let ahead = Duration.seconds(7200)
        try library.database.script("CREATE TRIGGER full BEFORE UPDATE ON held_back BEGIN SELECT RAISE(FAIL, 'full'); END")
        #expect(throws: LibraryError.self) { try library.service.record(clockAhead: ahead, at: now + ahead) }
        #expect(try library.service.clockAhead == nil)
        try library.database.script("DROP TRIGGER full")
        try library.service.record(clockAhead: ahead, at: now + ahead)
        #expect(try library.plans.update([shrunk], at: now + ahead) == [])
        #expect(try library.plans.all() == [whole])
    }

    /// A clock that is evenly wrong measures hours as well as any.
    @Test @LoopActor func aClockThatIsEvenlyWrongCountsTheHour() throws {
        let library = try library()
        let ahead = Duration.seconds(7200)
        try library.service.record(clockAhead: ahead, at: now + ahead)
        try library.plans.update([shrunk], at: now + ahead)
        try library.service.record(clockAhead: ahead + .seconds(70), at: now + ahead + minute * 30)
        #expect(try library.plans.update([shrunk], at: now + ahead + minute * 60).contains(where: isShrink))
    }

    @Test @LoopActor func otherContentsBeginTheirHourAnew() throws {
        let library = try library()
        try library.plans.update([shrunk], at: now)
        let other = Samples.contents("1", attachments: [Samples.attachment("a")])
        #expect(try library.plans.update([other], at: now + minute * 30) == [])
        #expect(try library.plans.update([other], at: now + minute * 80) == [])
        #expect(try library.plans.all() == [whole])
        #expect(try !library.plans.update([other], at: now + minute * 90).isEmpty)
        #expect(try library.plans.all() == [other])
    }

    @Test @LoopActor func aClockThatWasWrongIsNotWaitedFor() throws {
        let library = try library()
        try library.plans.update([shrunk], at: now + minute * 1_000_000)
        #expect(try library.plans.update([shrunk], at: now) == [])
        #expect(try library.plans.update([shrunk], at: now + minute * 60).contains(where: isShrink))
    }

    @Test @LoopActor func aPlanThatIsWholeAgainIsHeldBackNoMore() throws {
        let library = try library()
        try library.plans.update([shrunk], at: now)
        #expect(try library.plans.update([whole], at: now + minute) == [])
        #expect(try library.plans.heldBack() == [])
        #expect(try library.plans.update([shrunk], at: now + minute * 61).count == 1)
        #expect(try library.plans.all() == [whole])
    }

    @Test @LoopActor func somebodyAcceptsIt() throws {
        let library = try library()
        #expect(try library.accept(plan: whole.plan.id, at: now) == false)
        try library.plans.update([shrunk], at: now)
        #expect(try library.accept(plan: PlanID("other"), at: now) == false)
        #expect(try library.accept(plan: whole.plan.id, at: now))
        #expect(try library.plans.all() == [shrunk])
        #expect(try library.plans.heldBack() == [])
        #expect(try library.journal.entries().contains { isShrink($0.change) })
        #expect(try library.plans.update([shrunk], at: now + minute) == [])
    }

    @Test @LoopActor func halfOfThemMayGoAndSoMayThoseLeftOutByChoice() throws {
        let library = try library()
        let three = Samples.contents("1", attachments: ["a", "b", "c"].map { Samples.attachment($0) })
        #expect(try library.plans.update([three], at: now).contains { if case .planShrunk(_, 5, 3) = $0 { true } else { false } })
        var chosen = Samples.contents("1", attachments: [Samples.attachment("a")])
        chosen.leftOut = leftOut(["b", "c"])
        try library.plans.update([chosen], at: now)
        #expect(try library.plans.all() == [chosen])
    }

    /// Also if others of its kind have charts, so that the choice itself looks fine.
    @Test @LoopActor func theLastChartIsMissedThoughAllOthersWereLeftOutByChoice() throws {
        let library = try library()
        var told = Samples.contents("1", attachments: [])
        told.leftOut = leftOut(["b", "c", "d", "e"])
        told.choice = "z*"
        try library.plans.update([told, Samples.contents("2", attachments: [Samples.attachment("z")])], at: now)
        #expect(try library.plans.all().first { $0.plan.id == whole.plan.id } == whole)
        #expect(try library.plans.heldBack().map(\.reason) == [.chartsLost(1, of: 5)])
    }

    /// A rule that took a file yesterday takes it today, unless the service describes the file differently: that is the service's doing.
    @Test(arguments: [
        // Choice before and after, whether the files have other names, and whether that is somebody's choice.
        ("*.pdf", "*.pdf", false, false), ("*.pdf", "*.pdf", true, false), ("*.pdf", "a*", true, false), ("*.pdf", "a*", false, true),
        (nil, "a*", false, true), (nil, "*.pdf", true, false),
    ]) @LoopActor
    func onlyAnotherChoiceLeavesOutByChoice(before: String?, after: String, isRenamed: Bool, isChosen: Bool) throws {
        let library = try Library(folder: home.path("other"))
        var kept = whole
        kept.choice = before
        try library.plans.update([kept], at: now)
        var told = Samples.contents("1", attachments: [Samples.attachment("a")])
        told.leftOut = leftOut(["b", "c", "d", "e"])
        if isRenamed { for index in told.leftOut.indices { told.leftOut[index].filename = "renamed" } }
        told.choice = after
        try library.plans.update([told], at: now)
        #expect(try library.plans.all() == [isChosen ? told : kept])
        #expect(try library.plans.heldBack().map(\.reason) == (isChosen ? [] : [.chartsLost(4, of: 5)]))
    }

    private func leftOut(_ names: [String], _ reason: LeftOut.Reason = .notChosen(rule: "include zzz")) -> [LeftOut] {
        names.map { LeftOut(attachment: AttachmentID($0), filename: "\($0).pdf", item: "", reason: reason) }
    }

    /// A plan that shows nothing, for this reason.
    private func emptied(_ reason: LeftOut.Reason) -> PlanContents {
        var emptied = Samples.contents("1", attachments: [])
        emptied.leftOut = leftOut(["a", "b", "c", "d", "e"], reason)
        return emptied
    }

    @Test(arguments: [LeftOut.Reason.ofNoItem(owner: "Song"), .noPermission, .notAPDF]) @LoopActor
    func whatIsNotShownAnyMoreIsLostWhateverTheReason(reason: LeftOut.Reason) throws {
        let library = try library()
        let held: HoldReason = if case .ofNoItem = reason { .listsDisagree(5, of: 5) } else { .chartsLost(5, of: 5) }
        #expect(try library.plans.update([emptied(reason)], at: now) == [.planHeldBack(.init(whole.plan), held)])
        #expect(try library.plans.all() == [whole])
        #expect(try library.plans.heldBack().map(\.reason) == [held])
    }

    @Test @LoopActor func filesThatTheServiceStillListsAreNotTakenOffByTime() throws {
        let library = try library()
        let emptied = emptied(.ofNoItem(owner: "Song"))
        for hours in [0, 1, 2, 48, 1000] { try library.plans.update([emptied], at: now + minute * 60 * hours) }
        #expect(try library.plans.all() == [whole])
        // A person looked, and accepts it.
        #expect(try library.accept(plan: whole.plan.id, at: now + minute * 60 * 1001))
        #expect(try library.plans.all() == [emptied])
    }

    @Test @LoopActor func aChoiceThatTakesEverythingIsAskedAboutAndNoTimeConfirmsIt() throws {
        let library = try library()
        let emptied = emptied(.notChosen(rule: "include zzz"))
        let change = LibraryChange.planHeldBack(.init(whole.plan), .nothingChosen(rule: "include zzz"))
        #expect(try library.plans.update([emptied], at: now) == [change])
        #expect(try library.plans.update([emptied], at: now + minute * 60 * 48) == [])
        #expect(try library.plans.all() == [whole])

        #expect(try library.accept(plan: whole.plan.id, at: now))
        #expect(try library.plans.all() == [emptied])
        #expect(try library.plans.meantChoices() == [whole.plan.id: "include zzz"])
        #expect(try library.accept(plan: whole.plan.id, at: now) == false)
    }

    @Test @LoopActor func aChoiceThatServesAnotherPlanOfItsKindIsMeant() throws {
        let library = try library()
        let other = Samples.contents("2", day: 1, attachments: [Samples.attachment("x")])
        let emptied = emptied(.notChosen(rule: "include drums"))
        try library.plans.update([other, emptied], at: now)
        #expect(try library.plans.all() == [emptied, other])
        #expect(try library.plans.heldBack() == [])
    }

    @Test @LoopActor func shrinkingStepByStepIsMeasuredByTheMostThatWasShownLately() throws {
        let library = try library()
        let names = (0..<20).map { "c\($0)" }
        func plan(_ count: Int) -> PlanContents { Samples.contents("9", attachments: names.prefix(count).map { Samples.attachment($0) }) }
        func kept() throws -> Int? { try library.plans.all().first { $0.plan.id == PlanID("9") }?.attachments.count }
        try library.plans.update([plan(20)], at: now)
        for (step, count) in [11, 6, 3].enumerated() { try library.plans.update([plan(count)], at: now + minute * (step * 120)) }
        #expect(try kept() == 11)
        #expect(try library.plans.heldBack().map(\.reason) == [.chartsLost(17, of: 20)])
        try library.plans.update([plan(3)], at: now + minute * 300)
        #expect(try kept() == 3)
        // The belief does not count any more.
        try library.plans.update([plan(2)], at: now + minute * 300)
        #expect(try kept() == 2)
    }

    @Test @LoopActor func chartsUnderNewIdsAndTheirOldNamesAreNotLost() throws {
        let library = try library()
        let again = Samples.contents(
            "1", attachments: ["a", "b", "c", "d", "e"].map { Samples.attachment("new \($0)", filename: "\($0).PDF") })
        try library.plans.update([again], at: now)
        #expect(try library.plans.all() == [again])
        let fewer = Samples.contents(
            "1", attachments: ["a", "b", "c", "d"].map { Samples.attachment("new \($0)", filename: "\($0).PDF") })
        try library.plans.update([fewer], at: now)
        #expect(try library.plans.all() == [fewer])
        let others = Samples.contents("1", attachments: ["p", "q", "r", "s", "t"].map { Samples.attachment($0) })
        try library.plans.update([others], at: now)
        #expect(try library.plans.all() == [fewer])
    }

    /// The plan, so many days away from where it is.
    private func moved(days: Int?) -> PlanContents {
        var moved = whole
        moved.plan.firstTime = days.flatMap { days in whole.plan.firstTime.map { $0 + .seconds(days * 86_400) } }
        moved.plan.lastTime = days.flatMap { days in whole.plan.lastTime.map { $0 + .seconds(days * 86_400) } }
        return moved
    }

    @Test(arguments: [-365, -3, 365, nil]) @LoopActor func aDoubtfulDateIsHeldBackForADay(days: Int?) throws {
        let library = try library()
        let moved = moved(days: days)
        let reason = HoldReason.dateDoubtful(from: whole.plan.firstTime, to: moved.plan.firstTime)
        #expect(try library.plans.update([moved], at: now) == [.planHeldBack(.init(whole.plan), reason)])
        #expect(try library.plans.update([moved], at: now + minute * 60 * 23) == [])
        #expect(try library.plans.all() == [whole])
        if days != -3 {
            try library.plans.update([moved], at: now + minute * 60 * 24)
            #expect(try library.plans.all() == [moved])
        }
    }

    @Test @LoopActor func aPlanThatWouldNotBeKeptReadyAnyMoreIsHeldBackForADay() throws {
        let library = try library()
        func update(_ days: Int, at time: Timestamp) throws -> [LibraryChange] {
            try library.plans.update([moved(days: days)], ahead: .seconds(28 * 86_400), at: time)
        }
        #expect(try update(20, at: now).count == 1)
        #expect(try library.plans.all() == [moved(days: 20)])
        let reason = HoldReason.dateDoubtful(from: moved(days: 20).plan.firstTime, to: moved(days: 40).plan.firstTime)
        #expect(try update(40, at: now) == [.planHeldBack(.init(moved(days: 20).plan), reason)])
        #expect(try library.plans.all() == [moved(days: 20)])
        _ = try update(40, at: now + minute * 60 * 24)
        #expect(try library.plans.all() == [moved(days: 40)])
        // One that was not kept ready may be anywhere.
        #expect(try update(90, at: now).count == 1)
    }

    @Test(arguments: [-1, 7, 60]) @LoopActor func aPlanMayBePutOff(days: Int) throws {
        let library = try library()
        try library.plans.update([moved(days: days)], at: now)
        #expect(try library.plans.all() == [moved(days: days)])
    }

    /// As with a plan that first came with a wrong year.
    @Test @LoopActor func aPlanThatWasOverAndIsToComeIsBelieved() throws {
        let library = try Library(folder: home.path("other"))
        try library.plans.update([moved(days: -365)], at: now)
        try library.plans.update([whole], ahead: .seconds(28 * 86_400), at: now + minute)
        #expect(try library.plans.all() == [whole])
        #expect(try library.plans.heldBack() == [])
    }

    @Test @LoopActor func aListWithoutMostPlansIsDoubtedForAnHour() throws {
        let library = try library()
        let others = (2...4).map { Samples.contents("\($0)", day: $0, attachments: []) }
        let all = Set(([whole] + others).map(\.plan.id))
        try library.plans.update(others, named: all, at: now)
        #expect(try library.plans.doubt(aboutList: all.subtracting([PlanID("2"), PlanID("3")]), at: now) == nil)
        let doubt = try #require(try library.plans.doubt(aboutList: [], at: now))
        #expect(doubt == (4, 4))
        try library.plans.update([], named: [], at: now)
        #expect(try library.plans.doubt(aboutList: [], at: now + minute * 59) != nil)
        #expect(try library.plans.doubt(aboutList: [], at: now + minute * 60) == nil)
        #expect(try library.plans.all().count == 4)
    }

    @Test(arguments: [true, false]) @LoopActor func whatADoubtedListLacksKeepsItsPlaceForAnHour(isDoubted: Bool) throws {
        let library = try library()
        let others = (2...4).map { Samples.contents("\($0)", day: $0, attachments: []) }
        let all = Set(([whole] + others).map(\.plan.id))
        try library.plans.update(others, named: all, at: now)
        // A person who declines plans does not doubt that.
        let declined = isDoubted ? [] : Set(others.map(\.plan.id))
        try library.plans.update([], named: [], declined: declined, at: now)
        #expect(try Set(library.plans.gone().keys) == all)
        try library.plans.update([], named: [], declined: declined, at: now + minute * 58)
        #expect(try library.plans.goneInOrder(at: now + minute * 59) == (isDoubted ? [] : all))
        #expect(try library.plans.goneInOrder(at: now + minute * 60) == all)
        let first = others[0].plan.id
        try library.plans.update([], named: all.subtracting([first]), at: now + minute * 61)
        try library.plans.update([], named: all.subtracting([whole.plan.id]), at: now + minute * 62)
        #expect(try library.plans.goneInOrder(at: now + minute * 62) == [whole.plan.id])
    }

    @Test(arguments: [60, 24 * 60]) @LoopActor func aDoubtEndsWhereThePlanIsGoneForAsLongAsItWouldHaveBeenConfirmed(minutes: Int) throws {
        let library = try library()
        let others = (2...4).map { Samples.contents("\($0)", day: $0 + 3, attachments: []) }
        let (rest, all) = (Set(others.map(\.plan.id)), Set(([whole] + others).map(\.plan.id)))
        let doubtful = minutes == 60 ? shrunk : moved(days: 365)
        try library.plans.update(others, named: all, at: now)
        try library.plans.update([doubtful], named: all, at: now)
        #expect(try library.plans.heldBack().count == 1)

        // The plan is gone, and no new belief about it counts.
        try library.plans.update([], named: rest, at: now + minute)
        try library.plans.update([], named: rest, at: now + minute * minutes)
        #expect(try library.plans.heldBack().count == 1)
        // Nor by a list that lacks most plans, by one that is not whole, or by a clock that was set back.
        try library.plans.update([], named: [], at: now + minute * (minutes + 1))
        try library.plans.update([], named: nil, at: now + minute * (minutes + 1))
        try library.plans.update([], named: rest, at: now)
        #expect(try library.plans.heldBack().count == 1)

        try library.plans.update([], named: rest, at: now + minute * (minutes + 1))
        #expect(try library.plans.heldBack() == [])
        #expect(try library.plans.all().first == whole)
        #expect(try library.plans.gone()[whole.plan.id] == now + minute)

        // If it comes again, it is judged afresh.
        try library.plans.update([doubtful], named: all, at: now + minute * (minutes + 2))
        #expect(try library.plans.heldBack().count == 1 && library.plans.all().first == whole)
    }

    @Test @LoopActor func aPlanThatIsNotNamedAnyMoreIsKeptAndToldOnce() throws {
        let library = try library()
        let other = Samples.contents("2", day: 1, attachments: [])
        #expect(try library.plans.update([other], named: [other.plan.id, whole.plan.id], at: now) == [.planAdded(.init(other.plan))])
        #expect(try library.plans.update([other], named: [other.plan.id], at: now) == [.planGone(.init(whole.plan))])
        #expect(try library.plans.all() == [whole, other])
        #expect(try library.plans.gone() == [whole.plan.id: now])

        let bytes = try library.diskBytes()
        #expect(try library.plans.update([other], named: [other.plan.id], at: now + minute) == [])
        #expect(try library.plans.update([other], at: now + minute) == [])
        #expect(try library.diskBytes() == bytes)

        #expect(try library.plans.update([], named: [other.plan.id, whole.plan.id], at: now + minute) == [])
        #expect(try library.plans.gone() == [:])
    }

    @Test @LoopActor func aPlanThatHasBegunDropsOutOfTheListUnflagged() throws {
        let library = try library()
        let begun = try #require(whole.plan.firstTime)
        #expect(try library.plans.update([], named: [], at: begun) == [])
        #expect(try library.plans.gone() == [:])
    }
}
