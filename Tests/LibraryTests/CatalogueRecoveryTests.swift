import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// A catalogue that cannot be used, found at the start: no chart is lost by it, and all is brought back that there is.
@Suite(.onLoop, .timeLimit(.minutes(15)))
struct CatalogueRecoveryTests {
    private let home = TemporaryFolder()
    private let attachments = (0..<4).map { Samples.attachment("\($0)") }
    private let side = SideThread(inline: true)
    private let months = Duration.seconds(400 * 86_400)

    private var data: String { home.path("data") }
    private var catalogue: String { home.path("data/catalogue.sqlite") }
    private var music: String { home.path("music") }

    /// A library with four charts, linked for people, and a backup if there is to be one; closed.
    @LoopActor private func prepare(withBackup: Bool) async throws {
        let library = try Library(folder: data)
        try library.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        for attachment in attachments { try library.download(Samples.pdf(attachment.id.text), for: attachment) }
        _ = try library.linkCharts(into: music)
        try library.recordPoll(at: Samples.monday)
        if withBackup { try #require(try await library.backUpIfDue(at: Samples.monday, on: side) != nil) }
        library.close()
    }

    private func charts() throws -> [String] { try Folder.names(in: home.path("data/charts")) }

    /// What people open: each link, and the bytes that it leads to.
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
        #expect(try library.plans().count == (hasBackup ? 1 : 0))
        switch library.newsAtOpening {
        case .restored: #expect(hasBackup)
        case .begunAnew(_, 4, _): #expect(!hasBackup)
        default: Issue.record("\(String(describing: library.newsAtOpening))")
        }
        // Offline for a year, with whatever tidying there is.
        _ = try library.prune(now: Samples.monday, keptAfter: months, isTrusted: true)
        _ = try library.linkCharts(into: music)
        #expect(try self.charts() == charts)
        #expect(try self.opened() == opened)
        if let former { #expect(try AtomicFile.read(data + "/" + #require(setAside().first), limit: 1 << 24) == former) }

        // Nothing proves that this is all, until the service was asked.
        #expect(try library.lastPoll == nil)
        #expect(try (library.restoredFrom != nil) == hasBackup)
        try library.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        for attachment in attachments where try library.chart(of: attachment.id) == nil {
            try library.download(Samples.pdf(attachment.id.text), for: attachment)
        }
        try library.recordPoll(at: Samples.monday)
        #expect(try library.restoredFrom == nil)
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
        // As a program did that knew of no backups.
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
        #expect(try library.plans().count == 1)
    }

    @Test @LoopActor func aBackupThatIsNotWholeIsPassedOver() async throws {
        try await prepare(withBackup: true)
        let library = try Library(folder: data)
        try library.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        let second = try #require(try await library.backUpIfDue(at: Samples.monday + .seconds(86_400), on: side))
        library.close()
        truncate(second.path, 6000)
        unlink(catalogue)
        #expect(try Library(folder: data).plans().map(\.plan.id.text) == ["1"])
    }

    @Test @LoopActor func whatAnOlderCatalogueLetGoOfIsNotRemovedAfterGoingBackToIt() async throws {
        try await prepare(withBackup: false)
        var library = try Library(folder: data)
        let hash = Samples.hash(Samples.pdf("0"))
        try library.database.write { () throws(LibraryError) in
            try library.database.run("DELETE FROM attachment_charts WHERE attachment_id = '0'")
            try library.letGo(of: hash)
        }
        let backup = try #require(try await library.backUpIfDue(at: Samples.monday, on: side))
        library.close()
        _ = try Library.goBack(to: backup, in: data)
        library = try Library(folder: data)
        _ = try library.prune(now: Samples.monday, keptAfter: months, isTrusted: true)
        #expect(try charts().count == 4)
        #expect(try library.unknownCharts() == [hash])
    }

    @Test @LoopActor func logsOfAnotherCatalogueAreNotTakenIntoTheOneThatIsPutBack() async throws {
        try await prepare(withBackup: true)
        let library = try Library(folder: data)
        try library.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        // What a killed process leaves, and a catalogue that somebody removed from beside it.
        let log = try AtomicFile.read(catalogue + "-wal", limit: 1 << 24)
        library.close()
        unlink(catalogue)
        try log.withUnsafeBytes { try AtomicFile.write($0, to: catalogue + "-wal") }
        let restored = try Library(folder: data)
        #expect(try restored.plans().map(\.plan.id.text) == ["1"])
        #expect(try restored.database.isWhole(thoroughly: true))
        #expect(try setAside().contains { $0.hasSuffix("-wal") })
    }
}
