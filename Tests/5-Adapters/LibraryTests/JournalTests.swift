import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct JournalTests {
    private let home = TemporaryFolder()
    private let day = Duration.seconds(86400)

    @Test @LoopActor func changesAreToldInTheirOrderSinceATime() throws {
        let library = try Library(folder: home.path)
        let one = Samples.contents("1", attachments: [Samples.attachment("a")])
        let two = Samples.contents("1", attachments: [Samples.attachment("a", updated: 2)])
        try library.plans.update([one], at: Samples.monday)
        try library.plans.update([two], at: Samples.monday + day)
        let all = [
            JournalEntry(time: Samples.monday, change: .planAdded(.init(one.plan))),
            JournalEntry(time: Samples.monday + day, change: .chartReplaced(.init(one.plan), .init(two.attachments[0]))),
        ]
        #expect(try library.journal.entries() == all)
        #expect(try library.journal.entries(since: Samples.monday + day) == [all[1]])
        #expect(try library.journal.entries(since: Samples.monday + day * 2) == [])
        #expect(try Library(readingFrom: home.path).journal.entries() == all)
    }

    @Test @LoopActor func aReplacedSharedChartIsToldForEveryPlanThatShowsIt() throws {
        let library = try Library(folder: home.path)
        func plan(_ id: String, _ version: Int64) -> PlanContents {
            Samples.contents(id, day: Int(id) ?? 0, attachments: [Samples.attachment("s", updated: version)])
        }
        try library.plans.update([plan("1", 1), plan("2", 1)], at: Samples.monday)
        let chart = LibraryChange.ChartReference(Samples.attachment("s"))
        #expect(
            try library.plans.update([plan("2", 2)], at: Samples.monday)
                == ["1", "2"].map { .chartReplaced(.init(plan($0, 1).plan), chart) })
    }

    @Test @LoopActor func whatFailsIsNotJournalled() throws {
        let library = try Library(folder: home.path)
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'fault'); END")
        let plan = Samples.contents("1", attachments: [])
        #expect(throws: LibraryError.self) { try library.plans.update([plan], at: Samples.monday) }
        #expect(try library.plans.all() == [])
        try library.database.script("DROP TRIGGER fault")
        try library.plans.update([plan], at: Samples.monday)
        #expect(try library.journal.entries().count == 1)
    }

    @Test @LoopActor func theJournalIsBounded() throws {
        let library = try Library(folder: home.path)
        let change = LibraryChange.planAdded(.init(Samples.contents("1", attachments: []).plan))
        try library.database.write { () throws(LibraryError) in
            try library.journal.record([change], at: Samples.monday)
            try library.journal.record(Array(repeating: change, count: JournalStore.journalLength + 5), at: Samples.monday + day)
        }
        #expect(try library.journal.entries().count == JournalStore.journalLength)
        #expect(try library.journal.entries().first?.time == Samples.monday + day)
    }

    @Test @LoopActor func theWordsOnTheDiskStayReadable() throws {
        let library = try Library(folder: home.path)
        let text = #"{"chartReplaced":{"_0":{"id":"1","name":"Advent (2026-11-22)"},"_1":{"id":"a","name":"Grace.pdf"}}}"#
        try library.database.run("INSERT INTO journal (at, change) VALUES (5, ?)", [.text(text)])
        #expect(try library.journal.entries().map(\.change.sentence) == ["'Grace' replaced in Advent (2026-11-22)"])
    }
}
