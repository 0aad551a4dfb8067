import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// A catalogue that was put in place of the one that was left, while nobody looked.
@Suite(.onLoop)
struct CatalogueGenerationTests {
    let home = TemporaryFolder(inMemory: true)

    /// Works with a library, as far as a poll that somebody asked for.
    @LoopActor private func work(_ name: String = "data", plan: String) throws {
        let library = try Library(folder: home.path(name))
        try library.update([Samples.contents(plan, attachments: [Samples.attachment("a")])], at: Samples.monday)
        try library.recordPoll(at: Samples.monday, now: true)
        library.close()
    }

    private func catalogue(_ name: String = "data") -> String { home.path(name) + "/catalogue.sqlite" }

    private func put(_ bytes: [UInt8]) throws {
        for part in ["-wal", "-shm"] { unlink(catalogue() + part) }
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: catalogue()) }
    }

    /// Whether what is there is said to lack what came later, to whoever reads it and to whoever opens it.
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

    /// As from a backup of the home, in which all is of one time. But the music folder has links of a later one, to a chart that is new or
    /// to one that was there before.
    @Test(arguments: ["2", "0"]) @LoopActor func anOlderLibraryIsDoubtedForItsLinks(later: String) throws {
        try work(plan: "1")
        let (a, root) = (Samples.attachment("a"), home.path("Music"))
        func link(_ bytes: String) throws {
            let library = try Library(folder: home.path("data"))
            try library.download(Samples.pdf(bytes), for: a)
            _ = try library.linkCharts(into: root)
            try library.recordPoll(at: Timestamp(sinceEpoch: SystemClock().wallTime), now: true)
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

    @Test @LoopActor func whatWasDoneWithoutAPollCountsToo() throws {
        try work(plan: "1")
        let old = try AtomicFile.read(catalogue(), limit: 1 << 24)
        let library = try Library(folder: home.path("data"))
        #expect(try library.pin(PlanID("1")))
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
        // A file that says nothing proves nothing.
        try AtomicFile.write("nonsense\n", to: beside)
        #expect(try !isDoubted())
        unlink(beside)
        #expect(try !isDoubted())
    }
}
