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
            try library.add(tally)
            whole += tally
            #expect(try library.cacheTally() == whole)
            library.close()
        }
        #expect(try Library(readingFrom: home.path).cacheTally() == whole)
    }

    @Test @LoopActor func nothingCountedWritesNothing() throws {
        let library = try Library(folder: home.path)
        var tally = CacheTally()
        tally.hits = 1
        try library.add(tally)
        let before = try library.diskBytes()
        var nothing = CacheTally()
        nothing.misses[.vanished] = 0
        try library.add(nothing)
        #expect(try library.diskBytes() == before)
        #expect(try library.cacheTally() == tally)
    }

    @Test @LoopActor func whatFailsAddsNothing() throws {
        let library = try Library(folder: home.path)
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON cache_tally WHEN NEW.event = 'removal' BEGIN SELECT raise(ABORT, 'fault'); END")
        var tally = CacheTally()
        tally.hits = 1
        tally.removals[.disk] = 1
        #expect(throws: LibraryError.self) { try library.add(tally) }
        #expect(try library.cacheTally() == CacheTally())
    }
}
