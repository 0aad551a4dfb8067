import Catalogue
import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// A catalogue that was replaced while no process had it open.
@Suite(.onLoop)
struct CatalogueGenerationTests {
    let home = TemporaryFolder()

    /// Works with a library, and ends with a poll that somebody requested.
    @LoopActor private func work(_ name: String = "data", plan: String) throws {
        let library = try Library(folder: home.path(name))
        try library.plans.update([Samples.contents(plan, attachments: [Samples.attachment("a")])], at: Samples.monday)
        try library.recordPoll(at: Samples.monday, now: true)
        library.close()
    }

    private func catalogue(_ name: String = "data") -> String { home.path(name) + "/catalogue.sqlite" }

    private func put(_ bytes: [UInt8]) throws {
        for part in ["-wal", "-shm"] { unlink(catalogue() + part) }
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: catalogue()) }
    }

    /// Whether both a reader and a writer report that the library lacks later changes.
    @LoopActor private func isDoubted() throws -> Bool {
        let reader = try Library(readingFrom: home.path("data"))
        let isDoubted = try reader.doubt != nil
        reader.close()
        let library = try Library(folder: home.path("data"))
        defer { library.close() }
        #expect(try (library.doubt != nil) == isDoubted)
        #expect((library.newsAtOpening != nil) == isDoubted)
        return isDoubted
    }

    @Test @LoopActor func anOlderCopyIsDoubtedUntilTheServiceWasAsked() throws {
        try work(plan: "1")
        let old = try AtomicFile.read(catalogue(), limit: 1 << 24)
        try work(plan: "2")
        #expect(try !isDoubted())
        try put(old)
        #expect(try isDoubted())
        try work(plan: "2")
        #expect(try !isDoubted())
    }

    /// The service cannot send pins and hidden layers, so they are copied from the newest backup. Those of the older catalogue stay.
    @Test(arguments: [false, true]) @LoopActor func whatPeopleChoseComesFromTheNewestBackup(isRunning: Bool) throws {
        let (a, b) = (Samples.attachment("a"), Samples.attachment("b"))
        let file = LocalFile.layerID(ofFile: "/music/x.xopp")
        var library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.plans.pin(PlanID("1"))
        try library.drawings.setHidden(true, layer: LayerID("old"), of: a.id)
        try library.drawings.setHidden(false, layer: file, of: a.id)
        library.close()
        let old = try AtomicFile.read(catalogue(), limit: 1 << 24)

        library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("2", attachments: [a, b])], at: Samples.monday)
        let chart = try library.download(Samples.pdf("b"), for: b)
        try library.plans.pin(PlanID("2"))
        try library.drawings.setHidden(true, layer: LayerID("new"), of: a.id)
        try library.drawings.setHidden(true, layer: file, of: a.id)
        // Closing merges the log into the file, as a checkpoint does.
        library.close()
        library = try Library(folder: home.path("data"))
        let before = (try library.plans.all(), try library.plans.pinned(), try library.drawings.hiddenLayers(of: a.id))
        if !isRunning {
            try CatalogueBackups(of: home.path("data")).make(of: library.database, at: Samples.monday)
            library.close()
        }
        try put(old)
        let left = library
        library =
            isRunning ? try left.leftAndOpenedAnew(at: Samples.monday + .seconds(1)) : try Library(folder: home.path("data"))
        let news = library.newsAtOpening
        #expect(try library.plans.pinned() == before.1)
        #expect(try library.drawings.hiddenLayers(of: a.id) == before.2)
        #expect(try library.plans.all().filter { $0.plan.id == PlanID("2") } == before.0.filter { $0.plan.id == PlanID("2") })
        #expect(try library.charts.chart(of: b.use)?.hash == chart)
        #expect(try library.doubt != nil && library.database.isWhole(thoroughly: true))
        #expect(try library.database.rows("PRAGMA foreign_key_check") { $0.text(0) } == [])
        #expect(try library.database.rows("SELECT layer_id FROM shown_layers") { $0.text(0) } == [])
        #expect(
            news?.description.contains("1 pin and 2 hidden or shown layers come from the backup of") == true, "\(String(describing: news))")
        // A plan that is unpinned after the recovery stays unpinned.
        try library.plans.unpin(PlanID("2"))
        library.close()
        library = try Library(folder: home.path("data"))
        #expect(try library.plans.pinned() == [PlanID("1")])
        library.close()
    }

    /// The folder of a plan that was added or put off later is missing from the older catalogue.
    @Test(arguments: ["another plan", "another day"]) @LoopActor func anOlderLibraryIsDoubtedForFoldersItDoesNotKnow(later: String) throws {
        let (a, b, root) = (Samples.attachment("a"), Samples.attachment("b"), home.path("Music"))
        func sync(_ plans: [PlanContents]) throws {
            let library = try Library(folder: home.path("data"))
            try library.plans.update(plans, named: Set(plans.map(\.plan.id)), at: Samples.monday)
            for attachment in plans.flatMap(\.attachments) { try library.download(Samples.pdf(attachment.id.text), for: attachment) }
            _ = try library.linkCharts(into: root)
            try library.recordPoll(at: SystemClock().timestamp, now: true)
            library.close()
        }
        let first = Samples.contents("1", attachments: [a])
        try sync([first])
        let files = try ["catalogue.sqlite", "catalogue.generation"].map { name in
            (home.path("data/" + name), try AtomicFile.read(home.path("data/" + name), limit: 1 << 24))
        }
        let isAnotherPlan = later == "another plan"
        let second = Samples.contents(isAnotherPlan ? "2" : "1", day: 1, attachments: isAnotherPlan ? [b] : [a])
        try sync(isAnotherPlan ? [first, second] : [second])
        #expect(try !isDoubted())
        for part in ["-wal", "-shm"] { unlink(catalogue() + part) }
        for (path, bytes) in files { try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) } }
        #expect(try isDoubted())
    }

    /// Links that people move keep their age, so they are no evidence of an older catalogue.
    @Test @LoopActor func whoMovesLinksAboutDoubtsNothing() throws {
        let (a, b, root) = (Samples.attachment("a"), Samples.attachment("b"), home.path("Music"))
        let library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [a, b])], at: Samples.monday)
        for attachment in [a, b] { try library.download(Samples.pdf(attachment.id.text), for: attachment) }
        // Like every poll, this one is older than the links that follow.
        try library.recordPoll(at: SystemClock().timestamp - .seconds(60), now: true)
        let made = try library.linkCharts(into: root).made
        library.close()
        #expect(made.count == 2)
        #expect(rename(made[0], made[0] + ".tmp") == 0 && rename(made[1], made[0]) == 0 && rename(made[0] + ".tmp", made[1]) == 0)
        #expect(try !isDoubted())
        #expect(rename(made[0], home.path("Music/mine.pdf")) == 0)
        #expect(rename(Folder.parent(of: made[1]), home.path("Music/Sunday")) == 0)
        #expect(try !isDoubted())
    }

    /// The whole home comes from a backup, so all its files agree, but the music folder has later links, to a new or a known chart.
    @Test(arguments: ["2", "0"]) @LoopActor func anOlderLibraryIsDoubtedForItsLinks(later: String) throws {
        try work(plan: "1")
        let (a, root) = (Samples.attachment("a"), home.path("Music"))
        func link(_ bytes: String) throws {
            let library = try Library(folder: home.path("data"))
            try library.download(Samples.pdf(bytes), for: a)
            _ = try library.linkCharts(into: root)
            try library.recordPoll(at: SystemClock().timestamp, now: true)
            library.close()
        }
        try link("0")
        try link("1")
        let files = try ["catalogue.sqlite", "catalogue.generation"].map { name in
            (home.path("data/" + name), try AtomicFile.read(home.path("data/" + name), limit: 1 << 24))
        }
        func putBack() throws {
            for part in ["-wal", "-shm"] { unlink(catalogue() + part) }
            for (path, bytes) in files { try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) } }
        }
        try putBack()
        #expect(try !isDoubted(), "nothing came later")
        try link(later)
        #expect(try !isDoubted())
        try putBack()
        unlink(home.path("data/charts/\(Samples.hash(Samples.pdf(later))).pdf"))
        #expect(try isDoubted())
        try link(later)
        #expect(try !isDoubted())
    }

    /// Commands write pins, hidden layers and accepted changes, whether or not an agent is running. So an older copy may lack only such a
    /// choice.
    @Test @LoopActor func aCopyThatLacksOnlyAChoiceIsDoubted() throws {
        try work(plan: "1")
        let old = try AtomicFile.read(catalogue(), limit: 1 << 24)
        try Library.change(in: home.path("data")) { library throws(LibraryError) in try library.plans.pin(PlanID("1")) }
        #expect(try !isDoubted())
        for part in ["-wal", "-shm"] { unlink(catalogue() + part) }
        try old.withUnsafeBytes { try AtomicFile.write($0, to: catalogue()) }
        // A choice that is made in the older copy does not end the doubt.
        try Library.change(in: home.path("data")) { library throws(LibraryError) in try library.plans.pin(PlanID("1")) }
        #expect(try isDoubted())
    }

    @Test @LoopActor func whatWasDoneWithoutAPollCountsToo() throws {
        try work(plan: "1")
        let old = try AtomicFile.read(catalogue(), limit: 1 << 24)
        let library = try Library(folder: home.path("data"))
        #expect(try library.plans.pin(PlanID("1")))
        library.close()
        try put(old)
        #expect(try isDoubted())
    }

    @Test @LoopActor func anotherLibrarysCatalogueIsDoubted() throws {
        try work(plan: "1")
        try work("other", plan: "2")
        try put(try AtomicFile.read(catalogue("other"), limit: 1 << 24))
        #expect(try isDoubted())
    }

    @Test @LoopActor func whoIsKilledWhileNumberingItDoubtsNothing() throws {
        try work(plan: "1")
        let beside = home.path("data/catalogue.generation")
        let former = try AtomicFile.read(beside, limit: 100)
        try work(plan: "2")
        try former.withUnsafeBytes { try AtomicFile.write($0, to: beside) }
        #expect(try !isDoubted())
        // If the file with the number is unreadable or missing, it does not prove that the catalogue is older.
        try AtomicFile.write("nonsense\n", to: beside)
        #expect(try !isDoubted())
        unlink(beside)
        #expect(try !isDoubted())
    }

    @Test @LoopActor func aFolderInPlaceOfTheNumberIsPartOfTheStateOfTheCatalogue() throws {
        try work(plan: "1")
        let beside = home.path("data/catalogue.generation")
        #expect(try CatalogueState(ofLibraryIn: home.path("data")).obstacle == nil)
        unlink(beside)
        try Folder.create(beside)
        #expect(try CatalogueState(ofLibraryIn: home.path("data")).obstacle == beside)
    }

    @Test @LoopActor func aPipeInPlaceOfTheNumberProvesNothingAndGivesWayToIt() throws {
        try work(plan: "1")
        let beside = home.path("data/catalogue.generation")
        unlink(beside)
        #expect(mkfifo(beside, 0o600) == 0)
        #expect(try !isDoubted())
        try work(plan: "2")
        #expect(try AtomicFile.read(beside, limit: 100).count > 1)
    }
}
