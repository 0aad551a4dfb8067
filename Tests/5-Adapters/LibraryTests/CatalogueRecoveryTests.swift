import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// The catalogue is found to be unusable when it is opened. No chart may be lost, and everything that still exists is recovered.
@Suite(.onLoop)
struct CatalogueRecoveryTests {
    private let home = TemporaryFolder()
    private let attachments = (0..<4).map { Samples.attachment("\($0)") }
    private let side = SideThread(inline: true)
    private let months = Duration.seconds(400 * 86_400)

    private var data: String { home.path("data") }
    private var catalogue: String { home.path("data/catalogue.sqlite") }
    private var music: String { home.path("music") }

    /// Makes a library with four linked charts, and a backup if requested, and closes the library.
    @LoopActor private func prepare(withBackup: Bool) async throws {
        let library = try Library(folder: data)
        try library.plans.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        for attachment in attachments { try library.download(Samples.pdf(attachment.id.text), for: attachment) }
        _ = try library.linkCharts(into: music)
        try library.recordPoll(at: Samples.monday)
        if withBackup { try #require(try await library.backUpIfDue(at: Samples.monday, on: side) != nil) }
        library.close()
    }

    /// An empty plan is trusted once it has been unchanged for an hour. A backup's time of change may be wrong, so after a restoration the
    /// hour starts at the first full poll.
    @Test @LoopActor func whatABackupSaysOfAPlanIsToldAnewWhenTheServiceHasToldAll() async throws {
        try await prepare(withBackup: true)
        let later = Samples.monday + .seconds(86_400)
        for isRestored in [false, true] {
            if isRestored { unlink(catalogue) }
            let library = try Library(folder: data)
            try library.plans.update([], at: later)
            try library.recordPoll(at: later, now: true)
            #expect(try library.plans.planChanges() == [PlanID("1"): isRestored ? later : Samples.monday])
            library.close()
        }
    }

    private func charts() throws -> [String] { try Folder.names(in: home.path("data/charts")) }

    /// The files that people open: the path of each link, with the bytes that the link leads to.
    private func opened() throws -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for folder in try Folder.names(in: music) {
            for name in try Folder.names(in: music + "/" + folder) {
                all[folder + "/" + name] = try AtomicFile.read("\(music)/\(folder)/\(name)", limit: 1 << 20)
            }
        }
        return all
    }

    private func setAside() throws -> [String] { try Folder.names(in: data).filter { $0.hasPrefix("catalogue-set-aside-") } }

    @Test(arguments: CatalogueFate.allCases, [true, false]) @LoopActor
    func noChartIsLostAndWhatThereIsIsBroughtBack(fate: CatalogueFate, hasBackup: Bool) async throws {
        try await prepare(withBackup: hasBackup)
        let (charts, opened) = (try charts(), try opened())
        try fate.befall(catalogue)
        let former = try? AtomicFile.read(catalogue, limit: 1 << 24)

        let error = #expect(throws: LibraryError.self) { try Library(readingFrom: data) }
        guard case .lost(_, _, 4, let backup) = error else { Issue.record("\(String(describing: error))"); return }
        #expect((backup != nil) == hasBackup)

        let library = try Library(folder: data)
        #expect(try library.plans.all().count == (hasBackup ? 1 : 0))
        switch library.newsAtOpening {
        case .restored: #expect(hasBackup)
        case .begunAnew(_, 4, _): #expect(!hasBackup)
        default: Issue.record("\(String(describing: library.newsAtOpening))")
        }
        // A year offline with its regular tidying must change nothing.
        _ = try library.prune(now: Samples.monday, keptAfter: months, isTrusted: true)
        _ = try library.linkCharts(into: music)
        #expect(try self.charts() == charts)
        #expect(try self.opened() == opened)
        if let former { #expect(try AtomicFile.read(data + "/" + #require(setAside().first), limit: 1 << 24) == former) }

        // Until the service has been polled, something may still be missing.
        #expect(try library.lastPoll == nil)
        #expect(try library.doubt == (hasBackup ? .restored(from: Samples.monday) : .begunAnew(charts: 4)))
        try library.plans.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        for attachment in attachments where try library.charts.chart(of: attachment.id) == nil {
            try library.download(Samples.pdf(attachment.id.text), for: attachment)
        }
        try library.recordPoll(at: Samples.monday)
        #expect(try library.doubt == nil)
        let outcome = try library.linkCharts(into: music)
        #expect(outcome.inTheWay == [] && outcome.made == [], "the links are ours again")
        #expect(try self.charts() == charts)
        #expect(try self.opened() == opened)
        library.close()
        let again = try Library(folder: data)
        #expect(again.newsAtOpening == nil)
    }

    @Test @LoopActor func whereNothingEverWasANewLibraryBeginsWithoutAWord() throws {
        try AtomicFile.write("", to: home.path("catalogue.sqlite"))
        #expect(try Library(folder: home.path).newsAtOpening == nil)
        #expect(try Library(folder: home.path("other")).newsAtOpening == nil)
        #expect(try Folder.names(in: home.path("other")).contains { $0.hasPrefix("catalogue-set-aside") } == false)
    }

    @Test @LoopActor func aCatalogueThatWasBegunAnewBesideABackupGoesBackToIt() async throws {
        try await prepare(withBackup: true)
        unlink(catalogue)
        // Makes a blank catalogue, as a version without backups would.
        rename(home.path("data/charts"), home.path("charts"))
        rename(home.path("data/backups"), home.path("backups"))
        try Library(folder: data).close()
        rmdir(home.path("data/charts"))
        rename(home.path("charts"), home.path("data/charts"))
        rename(home.path("backups"), home.path("data/backups"))
        let library = try Library(folder: data)
        guard case .restored(.blank, _, _?) = library.newsAtOpening else {
            Issue.record("\(String(describing: library.newsAtOpening))")
            return
        }
        #expect(try library.plans.all().count == 1)
    }

    @Test @LoopActor func aLibraryThatRightlyKnowsNothingAnyMoreStaysSo() async throws {
        try await prepare(withBackup: true)
        let pruned = try Library(folder: data)
        _ = try pruned.pruneWatched(now: Samples.monday + months)
        #expect(try pruned.plans.all().isEmpty)
        pruned.close()
        try #require(try CatalogueCondition.of(catalogue) == .blank)
        for _ in 0..<3 {
            let reader = try Library(readingFrom: data)
            #expect(try reader.plans.all().isEmpty && reader.doubt == nil)
            reader.close()
            let library = try Library(folder: data)
            #expect(library.newsAtOpening == nil)
            #expect(try library.plans.all().isEmpty && library.doubt == nil)
            library.close()
            #expect(try Library(inMemoryFrom: data).newsAtOpening == nil)
        }
        #expect(try setAside() == [])
        #expect(try CatalogueState(ofLibraryIn: data).condition == .intact)
    }

    @Test(arguments: [true, false]) @LoopActor func theTimeOfABackupIsToldForAsLongAsItIsInDoubt(isAsked: Bool) async throws {
        try await prepare(withBackup: true)
        let backup = try #require(try Library.backups(in: data).last)
        if isAsked {
            _ = try Library.goBack(to: backup, in: data)
        } else {
            unlink(catalogue)
        }
        for start in 0..<3 {
            let library = try Library(folder: data)
            #expect((library.newsAtOpening != nil) == (start == 0 && !isAsked), "who went back to it knows")
            #expect(try library.doubt == .restored(from: Samples.monday))
            library.close()
            let reader = try Library(readingFrom: data)
            #expect(try reader.doubt == .restored(from: Samples.monday))
            reader.close()
        }
    }

    /// Leaves the files of a killed process: two plans, of which the second is only in the log, as is a pin.
    @LoopActor private func leaveLog() throws {
        let library = try Library(folder: home.path("working"))
        try library.plans.update([Samples.contents("1", attachments: [])], at: Samples.monday)
        library.close()
        let last = try Library(folder: home.path("working"))
        try last.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        try last.plans.pin(PlanID("2"))
        try Folder.create(data)
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal"] {
            try AtomicFile.read(home.path("working/" + name), limit: 1 << 24).withUnsafeBytes {
                try AtomicFile.write($0, to: data + "/" + name)
            }
        }
        last.close()
    }

    @Test(arguments: [true, false]) @LoopActor func whileTheDiskFailsNothingIsPutInTheCataloguesPlace(hasBackup: Bool) async throws {
        try leaveLog()
        if hasBackup {
            let working = try Library(folder: home.path("working"))
            let backup = try #require(try await working.backUpIfDue(at: Samples.monday, on: side))
            working.close()
            try Folder.create(home.path("data/backups"))
            let name = try #require(backup.path.split(separator: "/").last)
            rename(backup.path, data + "/backups/" + name)
        }
        await #expect(processExitsWith: .success) { [data = data as String] in
            // No file may grow beyond 512 bytes, so SQLite cannot write its index of the log.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            _ = Loop.shared.run {
                do throws(LibraryError) {
                    _ = try Library(folder: data)
                } catch {
                    if case .database = error { exit(0) }
                }
                exit(1)
            }
        }
        #expect(try setAside() == [])
        let library = try Library(folder: data)
        #expect(library.newsAtOpening == nil)
        #expect(try library.plans.all().count == 2)
        #expect(try library.plans.pinned() == [PlanID("2")])
    }

    @Test(arguments: [true, false]) @LoopActor func whoReadsAnEmptiedCatalogueLeavesItsLog(isRemoved: Bool) throws {
        try leaveLog()
        let log = try AtomicFile.read(catalogue + "-wal", limit: 1 << 24)
        try #require(!log.isEmpty)
        if isRemoved { unlink(catalogue) } else { truncate(catalogue, 0) }
        for look in [
            { @LoopActor [data] in _ = try Library(readingFrom: data) },
            { @LoopActor [data] in _ = try Library.change(in: data) { library throws(LibraryError) in try library.plans.pin(PlanID("1")) }
            },
            { @LoopActor [data] in try Database.read(libraryAt: data) { _ in } },
            { @LoopActor [data] in _ = try Library(inMemoryFrom: data) },
            { @LoopActor [catalogue] in _ = try Database(path: catalogue, access: .readWrite) },
        ] {
            #expect(throws: LibraryError.self) { try look() }
            #expect(try CatalogueState(ofLibraryIn: data).condition == (isRemoved ? .missing : .empty))
            #expect(try AtomicFile.read(catalogue + "-wal", limit: 1 << 24) == log)
        }
        // A writer begins a new catalogue, and keeps the former file.
        let library = try Library(folder: data)
        guard case .begunAnew(_, 0, let kept?) = library.newsAtOpening else {
            Issue.record("\(String(describing: library.newsAtOpening))")
            return
        }
        #expect(try setAside().contains { try AtomicFile.read(data + "/" + $0, limit: 1 << 24) == log })
        #expect(access(kept, F_OK) == 0)
        #expect(try CatalogueState(ofLibraryIn: data).setAside == [kept])
    }

    @Test @LoopActor func aBackupThatIsNotWholeIsPassedOver() async throws {
        try await prepare(withBackup: true)
        let library = try Library(folder: data)
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        let second = try #require(try await library.backUpIfDue(at: Samples.monday + .seconds(86_400), on: side))
        library.close()
        truncate(second.path, 6000)
        unlink(catalogue)
        #expect(try Library(folder: data).plans.all().map(\.plan.id.text) == ["1"])
    }

    @Test @LoopActor func theCatalogueStaysInItsPlaceUntilWhatReplacesItIsComplete() async throws {
        try await prepare(withBackup: true)
        let backup = try #require(try Library.backups(in: data).last)
        let former = try AtomicFile.read(catalogue, limit: 1 << 24)
        // The backup is cut off, so no complete copy of it can be made, as on a full disk.
        truncate(backup.path, off_t(former.count / 2))
        #expect(throws: LibraryError.self) { _ = try Library.goBack(to: backup, in: data) }
        #expect(try AtomicFile.read(catalogue, limit: 1 << 24) == former)
        #expect(try setAside() == [])
        #expect(try Library(folder: data).newsAtOpening == nil, "nor is it taken for an older copy")
    }

    @Test @LoopActor func whatAnOlderCatalogueLetGoOfIsNotRemovedAfterGoingBackToIt() async throws {
        try await prepare(withBackup: false)
        var library = try Library(folder: data)
        let hash = Samples.hash(Samples.pdf("0"))
        try library.database.write { () throws(LibraryError) in
            try library.database.run("DELETE FROM attachment_charts WHERE attachment_id = '0'")
            try library.charts.letGo(of: hash)
        }
        let backup = try #require(try await library.backUpIfDue(at: Samples.monday, on: side))
        library.close()
        _ = try Library.goBack(to: backup, in: data)
        library = try Library(folder: data)
        _ = try library.prune(now: Samples.monday, keptAfter: months, isTrusted: true)
        #expect(try charts().count == 4)
        #expect(try library.charts.unknownCharts() == [hash])
    }

    @Test @LoopActor func logsOfAnotherCatalogueAreNotTakenIntoTheOneThatIsPutBack() async throws {
        try await prepare(withBackup: true)
        let library = try Library(folder: data)
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        // Leave only the log of a killed process, as if somebody had removed its catalogue.
        let log = try AtomicFile.read(catalogue + "-wal", limit: 1 << 24)
        library.close()
        unlink(catalogue)
        try log.withUnsafeBytes { try AtomicFile.write($0, to: catalogue + "-wal") }
        let restored = try Library(folder: data)
        #expect(try restored.plans.all().map(\.plan.id.text) == ["1"])
        #expect(try restored.database.isWhole(thoroughly: true))
        #expect(try setAside().contains { $0.hasSuffix("-wal") })
    }
}
