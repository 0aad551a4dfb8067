import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct TallyTests {
    private let home = TemporaryFolder()

    @Test @LoopActor func countsAddUpOverRestarts() throws {
        var whole = CacheTally()
        for round in 1...3 {
            let library = try Library(folder: home.path)
            var tally = CacheTally()
            (tally.hits, tally.waits) = (round, round + 1)
            for reason in MissReason.allCases { tally.misses[reason] = round * 2 }
            for reason in TrimReason.allCases { tally.removals[reason] = round * 3 }
            try library.images.add(tally)
            whole += tally
            #expect(try library.images.tally() == whole)
            library.close()
        }
        #expect(try Library(readingFrom: home.path).images.tally() == whole)
    }

    @Test @LoopActor func nothingCountedWritesNothing() throws {
        let library = try Library(folder: home.path)
        var tally = CacheTally()
        tally.hits = 1
        try library.images.add(tally)
        let before = try library.diskBytes()
        var nothing = CacheTally()
        nothing.misses[.vanished] = 0
        try library.images.add(nothing)
        #expect(try library.diskBytes() == before)
        #expect(try library.images.tally() == tally)
    }

    @Test @LoopActor func whatFailsAddsNothing() throws {
        let library = try Library(folder: home.path)
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON cache_tally WHEN NEW.event = 'removal' BEGIN SELECT raise(ABORT, 'fault'); END")
        var tally = CacheTally()
        tally.hits = 1
        tally.removals[.disk] = 1
        #expect(throws: LibraryError.self) { try library.images.add(tally) }
        #expect(try library.images.tally() == CacheTally())
    }
}
