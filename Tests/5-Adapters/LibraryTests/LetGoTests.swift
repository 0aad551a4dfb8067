import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// Which files of charts are removed, and which must stay.
@Suite(.onLoop)
struct LetGoTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private let pdfA = Samples.pdf("a")
    private let hashA = Samples.hash(Samples.pdf("a"))
    private let later = Samples.monday + .seconds(31 * 86400)

    private var fileA: String { home.path("data/charts/\(hashA.digest.hex).pdf") }

    /// A library with an old plan that shows `a`, and a coming one that shows `b`.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update(
            [Samples.contents("1", attachments: [a]), Samples.contents("2", day: 40, attachments: [b])], at: Samples.monday)
        try library.download(pdfA, for: a)
        try library.download(Samples.pdf("b"), for: b)
        return library
    }

    /// Forgets `a` as pruning does, but stops before the file is removed, like a killed process.
    @LoopActor private func forgetWithoutRemoving(_ library: Library) throws {
        try library.database.write { () throws(LibraryError) in
            try library.database.run("DELETE FROM attachment_charts WHERE attachment_id = 'a'")
            try library.database.run("DELETE FROM plans WHERE id = '1'")
            try library.charts.letGo(of: hashA)
        }
    }

    @Test @LoopActor func aFileThatTheCatalogueDoesNotNameStays() throws {
        let library = try library()
        let orphan = Samples.hash([1])
        let names = ["notes.pdf", "\(orphan.digest.hex).pdf", "\(orphan.digest.hex).pdf.bak"]
        for name in names { try AtomicFile.write("x", to: home.path("data/charts/\(name)")) }
        #expect(try library.pruneWatched(now: later) == [hashA])
        #expect(try Set(library.chartFiles()) == Set(names + ["\(Samples.hash(Samples.pdf("b")).digest.hex).pdf"]))
        #expect(try library.charts.unknownCharts() == [orphan])
        let state = try CatalogueState(ofLibraryIn: home.path("data"))
        #expect((state.charts, state.unknownCharts) == (2, 1), "and somebody is told of it")
    }

    @Test @LoopActor func whatAKilledProcessForgotAndDidNotRemoveGoesTheNextTime() throws {
        let library = try library()
        try forgetWithoutRemoving(library)
        #expect(access(fileA, F_OK) == 0)
        #expect(try library.pruneWatched(now: Samples.monday) == [])
        #expect(access(fileA, F_OK) != 0)
        #expect(try library.database.rows("SELECT hash FROM let_go_charts") { $0.text(0) } == [])
    }

    @Test @LoopActor func aChartThatIsWantedAgainStays() throws {
        let library = try library()
        try forgetWithoutRemoving(library)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(pdfA, for: a)
        #expect(try library.pruneWatched(now: Samples.monday) == [])
        #expect(try library.charts.hasBytes(of: hashA))
    }

    /// The catalogue has dropped the chart, and has no record that a file of the same name came back afterwards.
    @Test @LoopActor func aFileThatCameSinceUnderTheSameNameStays() throws {
        let library = try library()
        try forgetWithoutRemoving(library)
        unlink(fileA)
        let bytes = pdfA
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: fileA) }
        #expect(try library.pruneWatched(now: Samples.monday) == [])
        #expect(access(fileA, F_OK) == 0)
    }

    /// Somebody copies a backup over the catalogue, whether or not it is in use; the backup may have been doubted already.
    @Test(arguments: [true, false], [true, false]) @LoopActor
    func whatAnOlderCopyLetGoOfIsNotRemovedOnItsWordAlone(isInUse: Bool, isDoubtful: Bool) throws {
        var library = try library()
        try forgetWithoutRemoving(library)
        if isDoubtful { try library.database.run("INSERT INTO stamps (name, at) VALUES ('restored', 0)") }
        library.close()
        let catalogue = home.path("data/catalogue.sqlite")
        let older = try AtomicFile.read(catalogue, limit: 1 << 24)
        // In the meantime, a plan shows the chart again.
        library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(pdfA, for: a)
        library.close()
        if isInUse { library = try Library(folder: home.path("data")) }
        try older.withUnsafeBytes { try AtomicFile.write($0, to: catalogue) }
        library = isInUse ? try library.leftAndOpenedAnew(at: Samples.monday) : try Library(folder: home.path("data"))
        #expect(try library.doubt != nil)
        _ = try library.prune(now: later, isTrusted: false)
        #expect(access(fileA, F_OK) == 0)
    }

    @Test @LoopActor func whatOneCatalogueLetsGoOfIsNotWhatAnotherKnowsInTheSameFolder() throws {
        let library = try library()
        library.close()
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm"] {
            rename(home.path("data/\(name)"), home.path(name))
        }
        // Another catalogue in the same folder. It has one of the charts at first, and none after pruning.
        let other = try Library(folder: home.path("data"))
        try other.plans.update([Samples.contents("9", attachments: [b])], at: Samples.monday)
        try other.download(Samples.pdf("b"), for: b)
        _ = try other.pruneWatched(now: later)
        #expect(access(fileA, F_OK) == 0)
    }
}
