import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// Somebody touches, moves or cuts off the files of a catalogue in use. Every commit must survive, whether it is in the file or only in the
/// log, even if the process is killed next.
@Suite(.onLoop)
struct TouchedCatalogueTests {
    private let home = TemporaryFolder()
    private let later = Samples.monday + .seconds(3600)

    private var catalogue: String { home.path("data/catalogue.sqlite") }

    /// Ways to change a file without changing its content.
    enum Touch: CaseIterable {
        case rights, owner, furtherName, time, movedAndBack, sameBytesAgain

        func befall(_ path: String) throws {
            switch self {
            case .rights: chmod(path, 0o640)
            case .owner: chown(path, getuid(), getgid())
            case .furtherName: link(path, path + ".link")
            case .time: utimes(path, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)])
            case .movedAndBack:
                rename(path, path + ".away")
                rename(path + ".away", path)
            case .sameBytesAgain: try CatalogueFate.write(try AtomicFile.read(path, limit: 1 << 24), over: path)
            }
        }
    }

    /// What happens to the catalogue, or to a file beside it.
    enum Move: CaseIterable {
        case away, removed, copied, exchanged

        func befall(_ path: String) throws {
            switch self {
            case .away: rename(path, path + ".away")
            case .removed: unlink(path)
            case .copied: try (try AtomicFile.read(path, limit: 1 << 24)).withUnsafeBytes { try AtomicFile.write($0, to: path) }
            case .exchanged: try AtomicFile.write(String(repeating: "no log at all\n", count: 9000), to: path)
            }
        }
    }

    /// A library with a plan in its file and a pin only in its log.
    @LoopActor private func library() throws -> Library {
        let first = try Library(folder: home.path("data"))
        try first.plans.update([Samples.contents("1", attachments: [Samples.attachment("a")])], at: Samples.monday)
        try first.recordPoll(at: Samples.monday, now: true)
        first.close()
        let library = try Library(folder: home.path("data"))
        try library.plans.pin(PlanID("1"))
        return library
    }

    private func setAside() throws -> [String] { try Folder.names(in: home.path("data")).filter { $0.hasPrefix("catalogue-set-aside") } }

    @LoopActor private func check(_ library: Library) throws {
        #expect(try library.plans.pinned() == [PlanID("1")])
        #expect(try library.plans.all().count == 1)
        #expect(try library.database.isWhole(thoroughly: true))
    }

    /// Opens a copy of what is on the disk now, as after a kill.
    @LoopActor private func checkAfterAKill() throws {
        try Folder.create(home.path("killed"))
        TemporaryFolder.empty(home.path("killed"))
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.generation"] where access(home.path("data/" + name), F_OK) == 0
        {
            try (try AtomicFile.read(home.path("data/" + name), limit: 1 << 24)).withUnsafeBytes {
                try AtomicFile.write($0, to: home.path("killed/" + name))
            }
        }
        let library = try Library(folder: home.path("killed"))
        #expect(library.newsAtOpening == nil)
        try check(library)
        library.close()
    }

    @Test(arguments: Touch.allCases, ["", "-wal", "-shm"]) @LoopActor func whatIsOnlyTouchedStaysInUse(touch: Touch, part: String) throws {
        // Writing over the log first cuts it off, even if the same bytes follow, so commits may be lost.
        guard touch != .sameBytesAgain || part.isEmpty else { return }
        let library = try library()
        try touch.befall(catalogue + part)
        #expect(library.isInPlace)
        try library.recordPoll(at: later, now: true)
        #expect(library.isInPlace)
        try check(library)
        #expect(try library.doubt == nil)
        #expect(try setAside() == [])
        try checkAfterAKill()
    }

    @Test(arguments: Move.allCases, ["", "-wal", "-shm"]) @LoopActor func noCommitIsLostWithAFile(move: Move, part: String) throws {
        let left = try library()
        try move.befall(catalogue + part)
        #expect(!left.isInPlace)
        #expect(throws: LibraryError.replaced(path: catalogue)) { try left.recordPoll(at: later, now: true) }
        let library = try left.leftAndOpenedAnew(at: later)
        try check(library)
        #expect(try library.doubt == nil)
        #expect(library.isInPlace)
        try library.recordPoll(at: later, now: true)
        try Library.change(in: home.path("data")) { library throws(LibraryError) in try library.plans.unpin(PlanID("1")) }
        #expect(try library.plans.pinned() == [])
        try library.plans.pin(PlanID("1"))
        try checkAfterAKill()
        library.close()
        try check(try Library(folder: home.path("data")))
    }

    @Test @LoopActor func aLogThatIsCutOffIsNoticedBeforeTheNextCommit() throws {
        let left = try library()
        truncate(catalogue + "-wal", 0)
        #expect(throws: LibraryError.replaced(path: catalogue)) { try left.recordPoll(at: later, now: true) }
        let library = try left.leftAndOpenedAnew(at: later)
        switch try #require(library.newsAtOpening) {
        case .putBack: try check(library)
        // Part of the log was not in memory, and the loss is reported.
        case .replaced: #expect(try library.doubt == .restored(from: Samples.monday))
        case let news: Issue.record("\(news)")
        }
        #expect(try library.plans.all().count == 1)
        try library.plans.update([Samples.contents("2", attachments: [])], at: later)
        try checkIsThere("2")
    }

    @LoopActor private func checkIsThere(_ plan: String) throws {
        let reader = try Library(readingFrom: home.path("data"))
        #expect(try reader.plans.all().contains { $0.plan.id.text == plan })
        reader.close()
    }

    @Test @LoopActor func whatIsKnownIsABackupBeforeAnythingIsMoved() throws {
        let library = try library()
        unlink(catalogue)
        _ = try library.leave(at: later)
        let backup = try #require(try Library.backups(in: home.path("data")).last)
        let kept = try Database(path: backup.path, access: .readOnly)
        #expect(try kept.rows("SELECT plan_id FROM pins", [], { $0.text(0) }) == ["1"])
    }

    @Test @LoopActor func whereNothingCanBeWrittenTheConnectionIsKeptAndItIsTriedAgain() throws {
        let library = try library()
        // No copy can be made, as on a full disk.
        try AtomicFile.write("in the way", to: home.path("data/backups"))
        unlink(catalogue)
        for _ in 0..<3 {
            #expect(throws: LibraryError.self) { try library.leave(at: later) }
            #expect(!library.isLeft)
            try checkKnown(library)
        }
        unlink(home.path("data/backups"))
        let again = try library.leftAndOpenedAnew(at: later)
        guard case .putBack = again.newsAtOpening else { Issue.record("it is not put back"); return }
        try check(again)
        #expect(try again.doubt == nil)
    }

    @LoopActor private func checkKnown(_ library: Library) throws {
        #expect(try library.plans.pinned() == [PlanID("1")])
        #expect(throws: LibraryError.replaced(path: catalogue)) { try library.recordPoll(at: later, now: true) }
    }

    @Test @LoopActor func whatCannotBeFinishedIsFinishedLaterFromWhatWasKnown() throws {
        let library = try library()
        unlink(catalogue)
        // A folder that is not empty can be neither removed nor replaced by a file.
        try Folder.create(catalogue + "/folder")
        #expect(throws: LibraryError.self) { try library.leftAndOpenedAnew(at: later) }
        TemporaryFolder.empty(catalogue)
        rmdir(catalogue)
        let again = try Library(folder: home.path("data"))
        try check(again)
        #expect(try again.doubt == nil)
    }

    @Test @LoopActor func anOlderCopyIsNotOursEvenIfOnlyAPollCameAfterIt() throws {
        let first = try library()
        first.close()
        let older = try AtomicFile.read(catalogue, limit: 1 << 24)
        let second = try Library(folder: home.path("data"))
        try second.recordPoll(at: later, now: true)
        second.close()
        let library = try Library(folder: home.path("data"))
        try #require(try AtomicFile.read(catalogue, limit: 1 << 24).count == older.count)
        try CatalogueFate.write(older, over: catalogue)
        #expect(!library.isInPlace)
    }

    /// How many bytes this thread has read from files so far.
    private func bytesRead() throws -> Int {
        let text = String(decoding: try AtomicFile.read("/proc/thread-self/io", limit: 4096), as: UTF8.self)
        return try #require(text.split(separator: "\n").first.flatMap { Int($0.split(separator: " ")[1]) })
    }

    @Test @LoopActor func whetherTheFileIsOursIsFoundOutWithoutReadingIt() throws {
        let library = try library()
        try library.database.script("CREATE TABLE much (bytes BLOB)")
        for _ in 0..<20 { try library.database.run("INSERT INTO much VALUES (randomblob(2000000))") }
        var status = stat()
        #expect(stat(catalogue, &status) == 0 && status.st_size > 30_000_000)
        let before = try bytesRead()
        // Write more than the log holds before it is merged into the file. The merge must read no more than the log's content.
        try library.database.run("INSERT INTO much VALUES (randomblob(5000000))")
        chmod(catalogue, 0o640)
        #expect(library.isInPlace)
        #expect(try bytesRead() - before < 12_000_000)
    }
}
