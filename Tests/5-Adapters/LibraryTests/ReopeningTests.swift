import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// A catalogue is replaced or changed from outside while a library has it open: the library leaves it, and opens the catalogue again.
@Suite(.onLoop)
struct ReopeningTests {
    private let home = TemporaryFolder()
    private let later = Samples.monday + .seconds(3600)

    private var catalogue: String { home.path("data/catalogue.sqlite") }

    /// A library with two plans, and its catalogue as it was before the second plan.
    @LoopActor private func library() throws -> (Library, older: [UInt8]) {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [Samples.attachment("a")])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: Samples.attachment("a"))
        library.close()
        let older = try AtomicFile.read(catalogue, limit: 1 << 24)
        let again = try Library(folder: home.path("data"))
        try again.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        try again.recordPoll(at: Samples.monday, now: true)
        again.close()
        let last = try Library(folder: home.path("data"))
        // This pin is only in the log.
        try last.plans.pin(PlanID("2"))
        return (last, older)
    }

    @LoopActor private func ids(_ library: Library) throws -> [String] { try library.plans.all().map(\.plan.id.text) }

    @Test @LoopActor func whatIsAsItWasStaysOpen() throws {
        let (library, _) = try library()
        #expect(library.isInPlace)
        // Other processes read and change the catalogue, and the log is merged into the file many times.
        for round in 0..<400 {
            try library.plans.update(
                [Samples.contents("\(round)", attachments: (0..<8).map { Samples.attachment("\(round)-\($0)") })], at: later)
            #expect(library.isInPlace)
        }
        try Library.change(in: home.path("data")) { library throws(LibraryError) in try library.plans.pin(PlanID("2")) }
        let reader = try Library(readingFrom: home.path("data"))
        #expect(try reader.plans.all().count == 400)
        reader.close()
        #expect(library.isInPlace)
    }

    @Test(arguments: CatalogueFate.allCases) @LoopActor func whatIsKnownIsThereAgain(fate: CatalogueFate) async throws {
        let (left, _) = try library()
        _ = try await left.backUpIfDue(at: Samples.monday, on: SideThread(inline: true))
        try fate.befall(catalogue)
        #expect(!left.isInPlace)
        #expect(throws: LibraryError.replaced(path: catalogue)) { try left.plans.update([], at: later) }
        let library = try left.leftAndOpenedAnew(at: later)
        switch try #require(library.newsAtOpening) {
        case .putBack: #expect(try library.doubt == nil && [.removed, .foreign].contains(fate))
        // If overwritten bytes are lost, the catalogue is reported as restored.
        case .restored: #expect(try library.doubt != nil && ![.removed, .foreign].contains(fate))
        case let news: Issue.record("\(news)")
        }
        #expect(library.isInPlace)
        #expect(try ids(library) == ["1", "2"])
        #expect(try library.chartFiles().count == 1)
        try library.plans.update([Samples.contents("3", attachments: [])], at: later)
        library.close()
        #expect(try ids(try Library(folder: home.path("data"))) == ["1", "2", "3"])
    }

    @Test @LoopActor func whatIsLeftIsReadUntilTheEndAndNeverWrittenToAgain() throws {
        let (library, _) = try library()
        rename(catalogue, home.path("away"))
        _ = try library.leave(at: later)
        rename(home.path("away"), catalogue)
        #expect(try ids(library) == ["1", "2"])
        #expect(!library.isInPlace)
        #expect(throws: LibraryError.replaced(path: catalogue)) { try library.plans.update([], at: later) }
    }

    @Test @LoopActor func whatASavedCatalogueLacksSinceIsInDoubtLikeAnyBackups() throws {
        let (left, _) = try library()
        unlink(catalogue)
        let library = try left.leftAndOpenedAnew(at: later)
        #expect(try library.doubt == nil)
        try library.plans.update([Samples.contents("3", attachments: [])], at: later)
        library.close()
        unlink(catalogue)
        let again = try Library(folder: home.path("data"))
        guard case .restored = again.newsAtOpening else { Issue.record("\(String(describing: again.newsAtOpening))"); return }
        #expect(try again.doubt == .restored(from: later))
    }

    @Test(arguments: [true, false]) @LoopActor func anOlderCopyIsUsedAndWhatWasKnownIsKept(isWrittenOver: Bool) throws {
        let (left, older) = try library()
        if isWrittenOver {
            try CatalogueFate.write(older, over: catalogue)
        } else {
            try older.withUnsafeBytes { try AtomicFile.write($0, to: catalogue) }
        }
        let backup = try left.leave(at: later)
        left.close()
        let library = try Library(folder: home.path("data"))
        guard case .replaced = library.newsAtOpening else { Issue.record("\(String(describing: library.newsAtOpening))"); return }
        #expect(try ids(library) == ["1", "2"], "what is pinned stays")
        #expect(try library.database.isWhole(thoroughly: true))
        #expect(try library.lastPoll == nil)
        #expect(try library.doubt == .restored(from: nil))
        if let backup {
            let former = try Database(path: backup.path, access: .readOnly)
            #expect(try former.rows("SELECT id FROM plans ORDER BY id") { $0.text(0) } == ["1", "2"])
        } else {
            #expect(isWrittenOver, "what was written over may be nowhere any more")
        }
        #expect(try library.chartFiles().count == 1)
        try library.plans.update([Samples.contents("3", attachments: [])], at: later)
        library.close()
        #expect(try ids(try Library(folder: home.path("data"))) == ["1", "2", "3"])
    }

    @Test @LoopActor func whatCannotBeNotedOfAnotherCatalogueIsNotedAndToldLater() throws {
        let (library, older) = try library()
        try older.withUnsafeBytes { try AtomicFile.write($0, to: home.path("older.sqlite")) }
        let other = try Database(path: home.path("older.sqlite"), access: .readWrite)
        try other.script("CREATE TRIGGER full BEFORE INSERT ON stamps BEGIN SELECT RAISE(FAIL, 'full'); END")
        other.close()
        rename(home.path("older.sqlite"), catalogue)
        for _ in 0..<2 {
            #expect(throws: LibraryError.self) { try library.leftAndOpenedAnew(at: later) }
        }
        let mended = try Database(path: catalogue, access: .readWrite)
        try mended.script("DROP TRIGGER full")
        mended.close()
        let again = try Library(folder: home.path("data"))
        guard case .replaced = again.newsAtOpening else { Issue.record("it is not told"); return }
        #expect(try again.doubt == .restored(from: nil))
        #expect(try ids(again) == ["1", "2"])
    }

    @Test @LoopActor func anotherLibrarysCatalogueTakesNoChartWithIt() throws {
        let (left, _) = try library()
        let other = try Library(folder: home.path("other"))
        try other.plans.update([Samples.contents("9", attachments: [Samples.attachment("z")])], at: Samples.monday)
        other.close()
        rename(home.path("other/catalogue.sqlite"), catalogue)
        let library = try left.leftAndOpenedAnew(at: later)
        #expect(try ids(library) == ["9"])
        _ = try library.prune(now: later + .seconds(90 * 86_400), isTrusted: true)
        #expect(try library.chartFiles().count == 1)
    }

    @Test(arguments: [true, false]) @LoopActor func whatIsFoundInItsPlaceOnlyAtTheEndIsLeftAsItIs(isWrittenOver: Bool) throws {
        let (library, older) = try library()
        if isWrittenOver {
            try CatalogueFate.write(older, over: catalogue)
        } else {
            try older.withUnsafeBytes { try AtomicFile.write($0, to: catalogue) }
        }
        library.close()
        #expect(try AtomicFile.read(catalogue, limit: 1 << 24) == older)
        #expect(try Folder.names(in: home.path("data")).contains { $0.hasPrefix("catalogue-set-aside-") && $0.hasSuffix("-wal") })
        let next = try Library(folder: home.path("data"))
        #expect(try ids(next) == ["1"])
        #expect(try next.plans.pinned() == [])
        #expect(try next.database.isWhole(thoroughly: true))
        #expect(try next.doubt != nil)
    }

    @Test @LoopActor func aCatalogueThatIsMovedBackAfterTheEndStillHasItsLog() throws {
        let (library, _) = try library()
        rename(catalogue, home.path("away"))
        library.close()
        rename(home.path("away"), catalogue)
        #expect(try Library(folder: home.path("data")).plans.pinned() == [PlanID("2")])
    }

    @Test @LoopActor func aFolderThatIsGoneIsSaidAndNothingIsMadeInItsPlace() throws {
        let (library, _) = try library()
        rename(home.path("data"), home.path("away"))
        #expect(throws: LibraryError.takenAway(folder: home.path("data"))) { try library.leave(at: later) }
        #expect(throws: LibraryError.self) { try library.plans.update([], at: later) }
        #expect(access(home.path("data"), F_OK) != 0)
        rename(home.path("away"), home.path("data"))
        #expect(library.isInPlace)
        #expect(try ids(library) == ["1", "2"])
    }

    @Test @LoopActor func aReaderKnowsThatAnotherCatalogueIsThereNow() throws {
        let (library, older) = try library()
        library.close()
        let reader = try Library(readingFrom: home.path("data"))
        try older.withUnsafeBytes { try AtomicFile.write($0, to: catalogue) }
        #expect(!reader.isInPlace)
        #expect(try ids(reader) == ["1", "2"], "until it is opened anew")
    }

    @Test @LoopActor func onADiskThatCannotBeWrittenAllIsThereAndNothingIsKept() throws {
        let (library, _) = try library()
        library.close()
        let bytes = try AtomicFile.read(catalogue, limit: 1 << 24)
        let shown = try Library(inMemoryFrom: home.path("data"))
        try shown.plans.update([Samples.contents("3", attachments: [])], at: later)
        #expect(try ids(shown) == ["1", "2", "3"])
        #expect(shown.isInPlace)
        shown.close()
        #expect(try AtomicFile.read(catalogue, limit: 1 << 24) == bytes)
    }
}
