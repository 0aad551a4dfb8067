import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

@Suite(.onLoop)
struct OpeningTests {
    private let home = TemporaryFolder()

    @Test @LoopActor func aFreshLibraryIsEmptyAndPrivate() throws {
        let library = try Library(folder: home.path("data/woodshed"))
        #expect(try library.plans.all() == [])
        #expect(try library.lastPoll == nil)
        for name in ["", "/charts", "/catalogue.sqlite", "/catalogue.sqlite-wal"] {
            var status = stat()
            #expect(stat(library.folder + name, &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name) is open to others")
        }
    }

    @Test @LoopActor func everythingIsThereAfterReopening() throws {
        let attachment = Samples.attachment("a")
        let plan = Samples.contents("1", attachments: [attachment])
        var library = try Library(folder: home.path)
        try library.plans.update([plan], at: Samples.monday)
        let hash = try library.download(Samples.pdf("one"), for: attachment)
        library.close()

        library = try Library(folder: home.path)
        #expect(try library.plans.all() == [plan])
        #expect(try library.charts.chart(of: attachment.id)?.hash == hash)
        #expect(try library.charts.hasBytes(of: hash))
    }

    @Test @LoopActor func aClosedLibraryRefusesEveryCall() throws {
        let library = try Library(folder: home.path)
        library.close()
        library.close()
        #expect(throws: LibraryError.closed) { try library.plans.all() }
        #expect(throws: LibraryError.closed) { try library.plans.update([], at: Samples.monday) }
    }

    @Test @LoopActor func reopeningWritesNothing() throws {
        var library = try Library(folder: home.path)
        library.close()
        let before = try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24)
        library = try Library(folder: home.path)
        #expect(library.database.totalChanges == 0)
        library.close()
        #expect(try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24) == before)
    }

    @Test @LoopActor func abandonedDownloadsAreRemovedAndRunningOnesAreNot() throws {
        let library = try Library(folder: home.path)
        let running = try library.charts.beginChart()
        try AtomicFile.write("left by a killed process", to: home.path("charts/.tmp-1-1"))
        let second = try Library(folder: home.path)
        #expect(try second.chartFiles() == [String(running.path.split(separator: "/").last ?? "")])
    }

    /// A writer that is killed before the catalogue keeps a log leaves a journal beside it, and half of its change in the file.
    @Test @LoopActor func whatAKilledWriterHadHalfWrittenIsTakenBack() throws {
        let plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        let library = try Library(folder: home.path("written"))
        try library.plans.update([plan], at: Samples.monday)
        library.close()
        let writer = try Database(path: home.path("written/catalogue.sqlite"), access: .readWrite)
        try writer.run("PRAGMA journal_mode = DELETE")
        try writer.run("PRAGMA cache_size = 1")
        for kind in ["read", "opened"] {
            try writer.run("BEGIN IMMEDIATE")
            try writer.run("DELETE FROM plans")
            try writer.run("CREATE TABLE half (a TEXT)")
            try writer.run(
                "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO half SELECT hex(randomblob(90)) FROM n")
            // Copies the files as they are on the disk at that moment.
            try Folder.create(home.path(kind))
            for name in ["catalogue.sqlite", "catalogue.sqlite-journal"] {
                let bytes = try AtomicFile.read(home.path("written/" + name), limit: 1 << 24)
                try #require(bytes.count > 100)
                try bytes.withUnsafeBytes { try AtomicFile.write($0, to: home.path("\(kind)/\(name)")) }
            }
            try writer.run("ROLLBACK")
        }
        let reader = try Library(readingFrom: home.path("read"))
        #expect(try reader.plans.all() == [plan])
        let again = try Library(folder: home.path("opened"))
        #expect(again.newsAtOpening == nil)
        #expect(try again.plans.all() == [plan])
    }

    // MARK: Reading while another process writes

    @Test @LoopActor func readingSeesWhatTheWriterHasCommitted() throws {
        let library = try Library(folder: home.path)
        let reader = try Library(readingFrom: home.path)
        let plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        try library.plans.update([plan], at: Samples.monday)
        #expect(try reader.plans.all() == [plan])
    }

    @Test @LoopActor func readingAlsoWorksWithNoWriter() throws {
        let plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: Samples.monday)
        library.close()
        let bytes = try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24)

        let reader = try Library(readingFrom: home.path)
        #expect(try reader.plans.all() == [plan])
        reader.close()
        #expect(try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24) == bytes)
    }

    @Test @LoopActor func aReaderCannotWrite() throws {
        _ = try Library(folder: home.path)
        let reader = try Library(readingFrom: home.path)
        #expect(throws: LibraryError.self) { try reader.recordPoll(at: Samples.monday) }
        #expect(throws: LibraryError.self) {
            try reader.plans.update([Samples.contents("1", attachments: [])], at: Samples.monday)
        }
    }

    @Test @LoopActor func readingWhereNothingIsSyncedSaysSoAndMakesNothing() throws {
        let folder = home.path("nowhere")
        let error = #expect(throws: LibraryError.self) { try Library(readingFrom: folder) }
        #expect(error == .missing(path: folder + "/catalogue.sqlite"))
        #expect(error?.description.contains("nothing has been fetched yet: run 'woodshed sync'") == true)
        #expect(try Folder.names(in: home.path) == [])
        // What is on a disk that is away was fetched all the same.
        symlink("/nowhere/disk", folder)
        let away = #expect(throws: LibraryError.self) { try Library(readingFrom: folder) }
        #expect(away?.description.contains("\(folder) is a link to /nowhere/disk, which is away") == true)
    }

    @Test @LoopActor func readingWhereTheFirstStartWasKilledSaysThatNothingIsSynced() throws {
        try AtomicFile.write("", to: home.path("catalogue.sqlite"))
        #expect(throws: LibraryError.missing(path: home.path("catalogue.sqlite"))) { try Library(readingFrom: home.path) }
        #expect(try Library(folder: home.path).plans.all() == [])
    }

    // MARK: After an update

    private static let plan = Samples.contents("1", attachments: [Samples.attachment("a")])

    /// A library with a plan, as a program without the newest table would have made it.
    @LoopActor
    private func makeOlderLibrary() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([Self.plan], at: Samples.monday)
        library.close()
        let older = try Database(path: home.path("catalogue.sqlite"), access: .readWrite)
        try older.run("DROP TABLE song_facts")
        older.close()
    }

    @Test @LoopActor func whatAnOlderProgramMadeIsReadAsItIs() throws {
        try makeOlderLibrary()
        let before = try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24)
        let reader = try Library(readingFrom: home.path)
        #expect(try reader.plans.all() == [Self.plan])
        #expect(throws: LibraryError.self) { try reader.plans.pin(PlanID("1")) }
        #expect(!reader.isInPlace, "who goes on reading opens it again")
        reader.close()
        let hasFacts = try Database.read(libraryAt: home.path) { database throws(LibraryError) in
            try database.has("SELECT 1 FROM song_facts")
        }
        #expect(!hasFacts)
        #expect(try AtomicFile.read(home.path("catalogue.sqlite"), limit: 1 << 24) == before)
    }

    /// The older program may still be at work.
    @Test @LoopActor func aSmallChangeBringsAnOlderCatalogueUpToDateUnlessItIsInUse() throws {
        try makeOlderLibrary()
        func pin() throws(LibraryError) -> Bool {
            try Library.change(in: home.path) { library throws(LibraryError) in try library.plans.pin(PlanID("1")) }
        }
        do {
            let lock = try AgentLock.take(in: home.path)
            #expect(throws: LibraryError.older(path: home.path("catalogue.sqlite"))) { _ = try pin() }
            withExtendedLifetime(lock) {}
        }
        #expect(try pin())
        #expect(try Library.backups(in: home.path).count == 1)
        let reader = try Library(readingFrom: home.path)
        #expect(try reader.isInPlace && reader.plans.pinned() == [PlanID("1")])
    }

    // MARK: Foreign files

    @Test @LoopActor func aFileThatIsNoDatabaseIsKeptUnderAnotherName() throws {
        let text = String(repeating: "my shopping list\n", count: 100)
        try AtomicFile.write(text, to: home.path("catalogue.sqlite"))
        let error = #expect(throws: LibraryError.self) { try Library(readingFrom: home.path) }
        guard case .damaged = error else { Issue.record("\(String(describing: error))"); return }
        let library = try Library(folder: home.path)
        guard case .begunAnew(.damaged, charts: 0, let kept?) = library.newsAtOpening else {
            Issue.record("\(String(describing: library.newsAtOpening))")
            return
        }
        #expect(try AtomicFile.read(kept, limit: 1 << 20) == Array(text.utf8))
        #expect(try library.plans.all() == [])
    }

    @Test @LoopActor func aDatabaseOfAnotherProgramIsRefusedAndKept() throws {
        let path = home.path("catalogue.sqlite")
        let other = try Database(path: path, access: .readWrite)
        try other.script("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup');")
        other.close()
        let before = try AtomicFile.read(path, limit: 1 << 20)
        #expect(throws: LibraryError.foreign(path: path)) { try Library(folder: home.path) }
        #expect(throws: LibraryError.foreign(path: path)) { try Library(readingFrom: home.path) }
        #expect(try AtomicFile.read(path, limit: 1 << 20) == before)
    }

    @Test @LoopActor func aFolderThatIsAFileIsNamedInTheError() throws {
        try AtomicFile.write("", to: home.path("data"))
        let error = #expect(throws: LibraryError.self) { try Library(folder: home.path("data")) }
        #expect(error?.description.contains(home.path("data")) == true)
    }

    // MARK: Polls

    @Test @LoopActor func pollsAreWrittenAtMostHourlyUnlessAsked() throws {
        let library = try Library(folder: home.path)
        let reader = try Library(readingFrom: home.path)
        try library.recordPoll(at: Samples.monday)
        #expect(try reader.lastPoll == Samples.monday)

        let soon = Samples.monday + .seconds(3599)
        let before = try library.diskBytes()
        try library.recordPoll(at: soon)
        #expect(try library.diskBytes() == before)
        #expect(try library.lastPoll == soon)
        #expect(try reader.lastPoll == Samples.monday)

        try library.keepLastPoll()
        #expect(try reader.lastPoll == soon)
        let kept = try library.diskBytes()
        try library.keepLastPoll()
        #expect(try library.diskBytes() == kept, "that is written already")
        try library.recordPoll(at: soon + .seconds(1), now: true)
        #expect(try reader.lastPoll == soon + .seconds(1))
        try library.recordPoll(at: soon + .seconds(3601))
        #expect(try reader.lastPoll == soon + .seconds(3601))
    }

    @Test @LoopActor func aPollFromTheFutureIsReplacedWhenTheClockIsRightAgain() throws {
        let library = try Library(folder: home.path)
        try library.recordPoll(at: Samples.monday + .seconds(86400 * 365))
        try library.recordPoll(at: Samples.monday)
        #expect(try Library(readingFrom: home.path).lastPoll == Samples.monday)
    }
}
