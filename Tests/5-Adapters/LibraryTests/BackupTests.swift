import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

@Suite(.onLoop)
struct BackupTests {
    private let home = TemporaryFolder()
    private let side = SideThread(inline: true)

    private func hours(_ count: Int) -> Duration { .seconds(count * 3600) }

    private func backups() throws -> [CatalogueBackup] { try Library.backups(in: home.path) }

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [Samples.attachment("a")])], at: Samples.monday)
        return library
    }

    @Test @LoopActor func itHoldsWhatTheCatalogueHoldsInOneFile() async throws {
        let library = try library()
        let backup = try #require(try await library.backUpIfDue(at: Samples.monday, on: side))
        #expect(try Folder.names(in: home.path("backups")).count == 1)
        #expect(try CatalogueBackups(of: home.path).isWhole(backup))
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        library.close()
        _ = try Library.goBack(to: backup, in: home.path)
        #expect(try Library(folder: home.path).plans.all().map(\.plan.id.text) == ["1"])
    }

    @Test @LoopActor func itIsMadeOnlyWhenSomethingHasChangedAndTheLastIsSomeHoursOld() async throws {
        let library = try library()
        #expect(try await library.backUpIfDue(at: Samples.monday, on: side) != nil)
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday + hours(1))
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(5), on: side) == nil)
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(6), on: side) != nil)
        // A poll alone changes nothing that needs a backup.
        for hour in 7..<30 {
            try library.recordPoll(at: Samples.monday + hours(hour))
            #expect(try await library.backUpIfDue(at: Samples.monday + hours(hour), on: side) == nil)
        }
        #expect(try backups().count == 2)
    }

    @Test @LoopActor func whatAnEarlierProcessChangedAndDidNotKeepIsKeptByTheNext() async throws {
        var library = try library()
        #expect(try await library.backUpIfDue(at: Samples.monday, on: side) != nil)
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday + hours(1))
        library.close()
        library = try Library(folder: home.path)
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(7), on: side) != nil)
        library.close()
        library = try Library(folder: home.path)
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(14), on: side) == nil)
    }

    @Test @LoopActor func whatAnEarlierProcessDidNotKeepIsTriedUntilItIsKept() async throws {
        var library = try library()
        #expect(try await library.backUpIfDue(at: Samples.monday, on: side) != nil)
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday + hours(1))
        library.close()
        library = try Library(folder: home.path)
        let time = Samples.monday + hours(7)
        // This row violates a constraint. While it is there, no consistent copy of the catalogue can be made.
        try change("PRAGMA ignore_check_constraints = ON; INSERT INTO asked_settings (id, settings) VALUES (2, '')")
        for _ in 0..<2 {
            await #expect(throws: LibraryError.self) { try await library.backUpIfDue(at: time, on: side) }
        }
        try change("DELETE FROM asked_settings")
        #expect(try await library.backUpIfDue(at: time, on: side) != nil)
    }

    /// Changes the catalogue as another process would.
    private func change(_ sql: String) throws {
        let other = try Database(path: home.path("catalogue.sqlite"), access: .readWrite)
        try other.script(sql)
        other.close()
    }

    @Test @LoopActor func aBackupCountsForWhatWasThereWhenItBegan() async throws {
        let library = try library()
        try library.plans.update((2..<40).map { Samples.contents("\($0)", attachments: []) }, at: Samples.monday)
        // The side thread is busy until a byte is written to this pipe.
        var pipes: [Int32] = [0, 0]
        pipe(&pipes)
        let (busy, reading, writing) = (SideThread(), pipes[0], pipes[1])
        busy.begin {
            var byte: UInt8 = 0
            read(reading, &byte, 1)
        }
        let backup = spawnThrowing { try await library.backUpIfDue(at: Samples.monday, on: busy) }
        while !library.isBackingUp { await Task.yield() }
        try library.plans.update([Samples.contents("40", attachments: [])], at: Samples.monday + hours(1))
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(20), on: side) == nil, "one is being made")
        write(writing, "x", 1)
        #expect(try await backup.value != nil)
        #expect(try await library.backUpIfDue(at: Samples.monday + hours(20), on: side) != nil)
        for end in pipes { close(end) }
    }

    @Test @LoopActor func anEmptyCatalogueIsNeverKept() async throws {
        let library = try Library(folder: home.path)
        #expect(try await library.backUpIfDue(at: Samples.monday, on: side) == nil)
        #expect(try backups() == [])
    }

    @Test @LoopActor func aCatalogueOfAnOlderProgramIsKeptBeforeItIsChanged() throws {
        let database = try Database(path: home.path("catalogue.sqlite"), access: .readWrite)
        try Migration.apply(Migration.all, to: database)
        try database.script(
            "INSERT INTO plans (id, service_type, service_type_name, title, dates, changed_at) VALUES ('1', '7', 's', 't', 'd', 0)")
        database.close()
        let steps = Migration.all + [Migration(name: "2 colours", sql: "ALTER TABLE plans ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';")]
        let changed = try CatalogueFile.open(in: home.path, steps: steps)
        #expect(try changed.rows("SELECT id, colour FROM plans") { $0.text(0) + $0.text(1) } == ["1red"])
        let backup = try #require(try backups().first)
        let kept = try Database(path: backup.path, access: .readOnly)
        #expect(try Migration.isDue(steps, in: kept))
    }

    @Test func theNewestStayAndOneOfEachOfSomeDaysAndWeeks() {
        var kept: [CatalogueBackup] = []
        var generator = SeededGenerator(seed: 3)
        var time = Samples.monday
        for number in 1...400 {
            time = time + .seconds(Int.random(in: 6 * 3600...40 * 3600, using: &generator))
            let made = CatalogueBackup(number: number, madeAt: time, in: "/backups")
            kept.append(made)
            let gone = CatalogueBackups.superfluous(kept)
            #expect(!gone.contains(made))
            kept.removeAll { gone.contains($0) }
            #expect(kept.count <= 9)
            #expect(number < 50 || kept.contains { time - $0.madeAt >= .seconds(7 * 86_400) })
            #expect(CatalogueBackups.superfluous(kept) == [])
        }
    }

    @Test(arguments: [Int64.min, 0, 1_795_000_000_123_456_789, .max]) func aNameIsReadAsItWasWritten(nanoseconds: Int64) throws {
        let backup = CatalogueBackup(number: 12, madeAt: Timestamp(nanoseconds: nanoseconds), in: "/b")
        let name = try #require(backup.path.split(separator: "/").last.map(String.init))
        #expect(CatalogueBackup(named: name, in: "/b") == backup)
        for other in ["catalogue.sqlite", "catalogue-x-2026-11-22T10-04-17Z.sqlite", "catalogue-1-yesterday.sqlite", name + "-wal"]
            + Self.absurdNames
        {
            #expect(CatalogueBackup(named: other, in: "/b") == nil)
        }
    }

    private static let absurdNames = [Int.max, Int.max - 1, 1_000_000_000, 0, -1].map { "catalogue-\($0)-2026-01-01T00-00-00Z.sqlite" }

    @Test @LoopActor func afterANameWithAnAbsurdNumberBackupsAreMadeAllTheSame() async throws {
        try Folder.create(home.path("backups"))
        for name in Self.absurdNames { try AtomicFile.write("", to: home.path("backups/" + name)) }
        let library = try library()
        #expect(try #require(try await library.backUpIfDue(at: Samples.monday, on: side)).number == 1)
        for name in Self.absurdNames { #expect(access(home.path("backups/" + name), F_OK) == 0, "it is none of ours") }
    }

    /// The process is killed while it makes backups, removes older ones or puts the catalogue back.
    @Test @LoopActor func aProcessKilledAnywhereLeavesACatalogueThatCanBeUsed() async throws {
        let place = home.path
        try Self.work(place, rounds: 1)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<10 {
            let microseconds = Int.random(in: 2_000..<60_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGALRM)) { [place = place as String, microseconds = microseconds as Int] in
                var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: microseconds))
                setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
                _ = Loop.shared.run { while true { try? BackupTests.work(place, rounds: .max) } }
            }
            #expect(try CatalogueBackups(of: place).all.last.map { try CatalogueBackups(of: place).isWhole($0) } == true)
            let library = try Library(folder: place)
            #expect(try library.plans.all().count == 3)
            #expect(try library.chartFiles().count == 3)
            #expect(try library.database.isWhole(thoroughly: true))
            library.close()
        }
    }

    @LoopActor private static func work(_ place: String, rounds: Int) throws {
        var library = try Library(folder: place)
        for round in 0..<rounds {
            for plan in 0..<3 {
                let attachment = Samples.attachment("\(plan)")
                try library.plans.update([Samples.contents("\(plan)", attachments: [attachment])], at: Samples.monday)
                try library.download(Samples.pdf("\(plan)"), for: attachment)
            }
            let backups = CatalogueBackups(of: place)
            try backups.make(of: library.database, at: Samples.monday + .seconds(round * 40_000))
            library.close()
            switch round % 3 {
            case 0: unlink(place + "/catalogue.sqlite")
            case 1: truncate(place + "/catalogue.sqlite", 3000)
            default: _ = try backups.newestWhole.map { try Library.goBack(to: $0, in: place) }
            }
            // Remove the set-aside files, or a thousand rounds would leave a thousand files.
            for name in try Folder.names(in: place) where name.hasPrefix("catalogue-set-aside-") { unlink(place + "/" + name) }
            library = try Library(folder: place)
        }
        library.close()
    }
}
