import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Which data the library keeps when a poll brings less. `PollDecision` decides what is doubted, and for how long.
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

    /// A program from before there were sets would call the catalogue damaged if it had a word that it does not know.
    @Test @LoopActor func whatAHeldBackSetLacksIsStoredInWordsThatAllProgramsKnow() throws {
        let library = try Library(folder: home.path)
        func set(_ attachments: [String], _ leftOut: [LeftOut]) -> PlanContents {
            var contents = Samples.contents("set/2026-11-22", attachments: attachments.map { Samples.attachment($0) })
            contents.leftOut = leftOut
            return contents
        }
        try library.plans.update([set(["a", "b", "c"], [])], of: .sets, at: now)
        let missing = LeftOut(attachment: AttachmentID("line/1"), filename: "B", item: "B", reason: .noChart(because: "line 1: none"))
        try library.plans.update([set(["a"], [missing])], of: .sets, at: now)
        #expect(try library.plans.heldBack().map(\.sent.leftOut) == [[missing]])
        let told = try library.database.rows("SELECT told FROM held_back") { $0.text(0) }
        #expect(told.count == 1 && !told[0].contains("noChart"))
        #expect(try library.plans.update([set(["a"], [missing])], of: .sets, at: now + minute) == [], "it is read as it was")
    }

    @Test @LoopActor func songsThatWereOpenedAreNoPlan() throws {
        let library = try library()
        let song = Samples.contents("x", attachments: [Samples.attachment("z")]).items[0]
        #expect(try library.plans.keep(opened: song, at: now).attachments.map(\.id.text) == ["z"])
        #expect(try library.plans.all().map(\.plan.id.text) == ["1"])
        #expect(try library.plans.everyPlan().map(\.id.text) == ["1"])
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

    /// Another system on the same machine sets the clock wrong by hours, and the network corrects it: no hour has passed.
    @Test(arguments: [Duration.seconds(-7200), .seconds(7200)])
    @LoopActor func settingTheClockConfirmsNothing(ahead: Duration) throws {
        let library = try library()
        try library.service.record(clockAhead: ahead, at: now + ahead)
        try library.plans.update([shrunk], at: now + ahead)
        // The clock is right, then wrong again, then right.
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

    /// A clock that is always wrong by the same amount measures hours correctly.
    @Test @LoopActor func aClockThatIsEvenlyWrongCountsTheHour() throws {
        let library = try library()
        let ahead = Duration.seconds(7200)
        try library.service.record(clockAhead: ahead, at: now + ahead)
        try library.plans.update([shrunk], at: now + ahead)
        try library.service.record(clockAhead: ahead + .seconds(70), at: now + ahead + minute * 30)
        #expect(try library.plans.update([shrunk], at: now + ahead + minute * 60).contains(where: isShrink))
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

    @Test @LoopActor func aChoiceOfNothingThatSomebodyAcceptsIsMeant() throws {
        let library = try library()
        var emptied = Samples.contents("1", attachments: [])
        emptied.leftOut = whole.attachments.map {
            LeftOut(attachment: $0.id, filename: $0.filename, item: "", reason: .notChosen(rule: "include zzz"))
        }
        try library.plans.update([emptied], at: now)
        #expect(try library.accept(plan: whole.plan.id, at: now))
        #expect(try library.plans.all() == [emptied])
        #expect(try library.plans.meantChoices() == [whole.plan.id: "include zzz"])
        #expect(try library.accept(plan: whole.plan.id, at: now) == false)
    }

    /// The musician did not make that choice and cannot change it, so there is nothing to ask.
    @Test @LoopActor func aChoiceOfNothingThatTheMachineMakesIsMeant() throws {
        let library = try library()
        var emptied = Samples.contents("1", attachments: [])
        emptied.leftOut = whole.attachments.map {
            LeftOut(attachment: $0.id, filename: $0.filename, item: "", reason: .notChosen(rule: "include zzz"))
        }
        try library.plans.update([emptied], at: now)
        #expect(try library.plans.heldBack().count == 1)
        try library.plans.update([emptied], isChoiceGiven: true, at: now)
        #expect(try library.plans.heldBack() == [] && library.plans.all() == [emptied])
        #expect(try library.plans.meantChoices() == [whole.plan.id: "include zzz"])
        // What vanishes at the service is no choice.
        try library.plans.update([whole], at: now)
        try library.plans.update([Samples.contents("1", attachments: [])], isChoiceGiven: true, at: now)
        #expect(try library.plans.heldBack().count == 1)
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
        // After a plan with 3 charts was accepted, its former 20 no longer count.
        try library.plans.update([plan(2)], at: now + minute * 300)
        #expect(try kept() == 2)
    }

    @Test(arguments: [true, false]) @LoopActor func whatADoubtedListLacksKeepsItsPlaceForAnHour(isDoubted: Bool) throws {
        let library = try library()
        let others = (2...4).map { Samples.contents("\($0)", day: $0, attachments: []) }
        let all = Set(([whole] + others).map(\.plan.id))
        try library.plans.update(others, named: all, at: now)
        // If a person has declined the plans, their absence is not doubted.
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
}
