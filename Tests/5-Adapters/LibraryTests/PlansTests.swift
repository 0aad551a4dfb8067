import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct PlansTests {
    private let home = TemporaryFolder()

    @Test @LoopActor func plansComeByTimeThenIdAndThoseWithoutTimesLast() throws {
        let library = try Library(folder: home.path)
        var timeless = Samples.contents("0", attachments: [])
        timeless.plan.firstTime = nil
        timeless.plan.lastTime = nil
        let plans = [
            timeless, Samples.contents("9", day: 1, attachments: []), Samples.contents("3", day: 7, attachments: []),
            Samples.contents("2", day: 7, attachments: []),
        ]
        try library.plans.update(plans, at: Samples.monday)
        #expect(try library.plans.all().map(\.plan.id.text) == ["9", "2", "3", "0"])
    }

    @Test @LoopActor func thePlansThatShowAChartAreThoseOfAllThatHaveIt() throws {
        let library = try Library(folder: home.path)
        let (song, other) = (Samples.attachment("song"), Samples.attachment("other"))
        let plans = [
            Samples.contents("9", day: 1, attachments: [song, other]), Samples.contents("3", day: 7, attachments: [other]),
            Samples.contents("2", day: 7, attachments: [song, song]),
        ]
        try library.plans.update(plans, at: Samples.monday)
        for id in [song.id, other.id, AttachmentID("nowhere")] {
            #expect(try library.plans.showing(id) == library.plans.all().filter { $0.attachments.contains { $0.id == id } })
        }
    }

    @Test @LoopActor func everyFieldComesBack() throws {
        let library = try Library(folder: home.path)
        let generated = Attachment(
            id: AttachmentID("g/../../etc"), filename: "Ämazing.pdf", contentType: "text/x", fileSize: 0, updatedAt: nil,
            isGenerated: true, generatedFrom: "arrangement 5 in Bb")
        let item = PlanItem(
            id: ItemID("i"), sequence: -4, title: "Grace\nNote", keyName: "F♯", attachments: [generated, Samples.attachment("b")],
            kind: "song",
            arrangement: "As we play it", tempo: 76, length: 240, description: "Softly.")
        let plan = PlanContents(
            plan: Plan(
                id: PlanID("p"), serviceType: ServiceTypeID("s"), serviceTypeName: "Eve", title: "", dates: "22 & 23 November",
                firstTime: Samples.monday, lastTime: nil),
            items: [item, PlanItem(id: ItemID("header"), sequence: 0, title: "")],
            leftOut: [
                LeftOut(attachment: AttachmentID("m"), filename: "take 1.mp3", item: "Grace", reason: .notAPDF),
                LeftOut(attachment: AttachmentID("d"), filename: "Drums.pdf", item: "", reason: .notChosen(rule: "*Drums*")),
                LeftOut(attachment: AttachmentID("x"), filename: "", item: "Grace", reason: .noPermission),
            ])
        try library.plans.update([plan], at: Samples.monday)
        #expect(try library.plans.all() == [plan])
    }

    @Test @LoopActor func anEqualUpdateWritesNotOneByte() throws {
        let library = try Library(folder: home.path)
        let shared = Samples.attachment("shared")
        let plans = [
            Samples.contents("1", attachments: [shared, Samples.attachment("a")]),
            Samples.contents("2", attachments: [Samples.attachment("b"), shared]),
        ]
        #expect(try !library.plans.update(plans, at: Samples.monday).isEmpty)
        let bytes = try library.diskBytes()
        let changes = library.database.totalChanges

        #expect(try library.plans.update(plans, at: Samples.monday + .seconds(7200)) == [])
        #expect(try library.plans.update([plans[1]], at: Samples.monday + .seconds(7200)) == [])
        #expect(try library.plans.update([], at: Samples.monday + .seconds(7200)) == [])
        #expect(library.database.totalChanges == changes)
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func itemsThatVanishFromAPlanGoAndTheirChartsStay() throws {
        let library = try Library(folder: home.path)
        let (a, b) = (Samples.attachment("a"), Samples.attachment("b"))
        try library.plans.update([Samples.contents("1", attachments: [a, b])], at: Samples.monday)
        let hash = try library.download(Samples.pdf("b"), for: b)

        let shrunk = Samples.contents("1", attachments: [a])
        #expect(try !library.plans.update([shrunk], at: Samples.monday).isEmpty)
        #expect(try library.plans.all() == [shrunk])
        #expect(try library.charts.chart(of: b.id)?.hash == hash)
        #expect(try library.charts.hasBytes(of: hash))
    }

    @Test @LoopActor func aMovedItemChangesTheOrderAlone() throws {
        let library = try Library(folder: home.path)
        var plan = Samples.contents("1", attachments: ["a", "b", "c"].map { Samples.attachment($0) })
        try library.plans.update([plan], at: Samples.monday)
        plan.items.swapAt(0, 2)
        #expect(try !library.plans.update([plan], at: Samples.monday).isEmpty)
        #expect(try library.plans.all() == [plan])
    }

    @Test @LoopActor func plansThatAreNotGivenStay() throws {
        let library = try Library(folder: home.path)
        let (one, two) = (Samples.contents("1", attachments: []), Samples.contents("2", day: 1, attachments: []))
        try library.plans.update([one, two], at: Samples.monday)
        #expect(try library.plans.update([two], at: Samples.monday) == [])
        #expect(try library.plans.all() == [one, two])
    }

    @Test @LoopActor func theNewestWordAboutASharedAttachmentHoldsInEveryPlan() throws {
        let library = try Library(folder: home.path)
        let old = Samples.attachment("s", updated: 1)
        let new = Samples.attachment("s", updated: 2)
        try library.plans.update(
            [Samples.contents("1", attachments: [old]), Samples.contents("2", day: 1, attachments: [old])], at: Samples.monday)
        #expect(try !library.plans.update([Samples.contents("2", day: 1, attachments: [new])], at: Samples.monday).isEmpty)
        #expect(try library.plans.all().map(\.attachments) == [[new], [new]])
    }

    @Test @LoopActor func anAnswerThatContradictsItselfSettles() throws {
        let library = try Library(folder: home.path)
        let plans = [
            Samples.contents("1", attachments: [Samples.attachment("s", updated: 1)]),
            Samples.contents("2", day: 1, attachments: [Samples.attachment("s", updated: 2)]),
            Samples.contents("1", attachments: [Samples.attachment("s", updated: 3), Samples.attachment("t")]),
        ]
        #expect(try !library.plans.update(plans, at: Samples.monday).isEmpty)
        #expect(try library.plans.update(plans, at: Samples.monday) == [])
        #expect(try library.plans.all().map { $0.attachments.map(\.version) }.map(\.count) == [2, 1])
        #expect(Set(try library.plans.all().flatMap(\.attachments).filter { $0.id.text == "s" }) == [Samples.attachment("s", updated: 3)])
    }

    @Test @LoopActor func anItemOrAttachmentToldTwiceBreaksNothing() throws {
        let library = try Library(folder: home.path)
        var plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        plan.items[0].attachments.append(plan.items[0].attachments[0])
        plan.items.append(plan.items[0])
        try library.plans.update([plan], at: Samples.monday)
        #expect(try library.plans.all() == [plan])
        #expect(try library.plans.update([plan], at: Samples.monday) == [])
    }

    @Test @LoopActor func anUpdateThatFailsHalfWayLeavesTheOldState() throws {
        let library = try Library(folder: home.path)
        let old = [Samples.contents("1", attachments: [Samples.attachment("a")])]
        try library.plans.update(old, at: Samples.monday)
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON items WHEN new.plan_id = '3' BEGIN SELECT raise(ABORT, 'fault'); END")

        let new = ["1", "2", "3"].map { Samples.contents($0, attachments: [Samples.attachment("a", updated: 5)]) }
        #expect(throws: LibraryError.self) { try library.plans.update(new, at: Samples.monday) }
        #expect(try library.plans.all() == old)

        try library.database.script("DROP TRIGGER fault")
        #expect(try !library.plans.update(new, at: Samples.monday).isEmpty)
        #expect(try library.plans.all() == new)
    }

    @Test @LoopActor func aProcessKilledInAnUpdateLeavesTheOldState() async throws {
        let folder = home.path("killed")
        let old = [Samples.contents("1", attachments: [Samples.attachment("a")])]
        let library = try Library(folder: folder)
        try library.plans.update(old, at: Samples.monday)
        library.close()

        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            _ = Loop.shared.run {
                guard let library = try? Library(folder: folder) else { return 1 }
                _ = try? library.database.write { () throws(LibraryError) in
                    // With so small a cache, the unfinished change reaches the file.
                    try library.database.run("PRAGMA cache_size = 1")
                    for place in 0..<500 {
                        try library.database.run(
                            "INSERT INTO items (plan_id, place, id, sequence, title, key_name) VALUES ('1', ?, 'x', 0, ?, '')",
                            [.integer(place + 10), .text(String(repeating: "x", count: 1000))])
                    }
                    kill(getpid(), SIGKILL)
                }
                return 0
            }
        }

        let after = try Library(folder: folder)
        #expect(try after.plans.all() == old)
        #expect(try after.database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
    }
}
