import Catalogue
import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Files that the user's programs save over charts, through the links in the music folder, belong to the user.
@Suite(.onLoop)
struct SavedChartsTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let bytes = Samples.pdf("as the service has it")

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        return library
    }

    @LoopActor private func readAll(_ library: Library) throws {
        try library.charts.note(ChartStore.read(try library.charts.chartFilesToRead()[...]))
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// The ways in which programs save a file.
    enum Way: String, CaseIterable, Sendable {
        case through, inItsPlace, withItsTime, truncating

        func save(_ content: [UInt8], over path: String) throws {
            switch self {
            case .through, .truncating, .withItsTime:
                var before = stat()
                stat(path, &before)
                chmod(path, 0o600)
                let file = try Descriptor.open(path, O_WRONLY | (self == .truncating ? O_TRUNC : 0))
                try content.withUnsafeBytes { try file.write($0) }
                ftruncate(file.number, content.count)
                if self == .withItsTime { futimens(file.number, [before.st_atim, before.st_mtim]) }
            case .inItsPlace: try content.withUnsafeBytes { try AtomicFile.write($0, to: path, mode: 0o644) }
            }
        }
    }

    @Test(arguments: Way.allCases)
    @LoopActor func everySaveOverAChartIsKeptUnderANameOfItsOwn(way: Way) throws {
        let library = try library()
        let hash = try library.download(bytes, for: a)
        let path = library.charts.path(of: hash)
        var saved: [[UInt8]] = []
        // The saved file is as long as the chart, longer, shorter, and as long again.
        for (number, length) in [bytes.count, bytes.count + 7, bytes.count - 3, bytes.count].enumerated() {
            saved.append(Array(("%PDF-\(number)" + String(repeating: "x", count: 200)).utf8.prefix(length)))
            try way.save(saved[number], over: path)
            try readAll(library)
            #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [a])
            #expect(throws: LibraryError.changedChart(path: path)) { try library.charts.check(hash) }
            #expect(try AtomicFile.read(path, limit: 1000) == saved[number], "it stays until the chart is here again")

            #expect(try library.download(bytes, for: a) == hash)
            #expect(try AtomicFile.read(path, limit: 1000) == bytes)
            #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
        }
        let aside = try library.charts.savedCharts().setAside
        #expect(aside.count == saved.count && aside.allSatisfy { $0.hasSuffix(".pdf") && $0.contains("saved 20") }, "\(aside)")
        #expect(Set(try aside.map { try AtomicFile.read($0, limit: 1000) }) == Set(saved))
        #expect(aside.allSatisfy { mode($0) & S_IWUSR != 0 }, "they are the user's to change")
    }

    /// What a failing disk leaves of a chart holds nothing of anybody's.
    @Test(arguments: [true, false]) @LoopActor func whatADamageLeftIsNoPDFOfAnybodys(isCut: Bool) throws {
        let library = try library()
        let path = library.charts.path(of: try library.download(bytes, for: a))
        let left: [UInt8] = isCut ? Array(bytes.prefix(20)) : Array(bytes.prefix(9)) + Array(repeating: 0, count: bytes.count - 9)
        try Way.inItsPlace.save(left, over: path)
        try readAll(library)
        try library.download(bytes, for: a)
        #expect(try AtomicFile.read(path, limit: 1000) == bytes)
        #expect(try library.charts.savedCharts().setAside.isEmpty)
        let damaged = home.path("data/charts/damaged")
        let kept = try Folder.names(in: damaged)
        #expect(kept.count == 1 && kept.allSatisfy { $0.hasSuffix("(damaged).pdf") }, "\(kept)")
        #expect(try AtomicFile.read(damaged + "/" + (kept.first ?? ""), limit: 1000) == left)
    }

    @Test @LoopActor func aProgramThatIsStillWritingLosesNothing() throws {
        let library = try library()
        let hash = try library.download(bytes, for: a)
        chmod(library.charts.path(of: hash), 0o600)
        let editor = try Descriptor.open(library.charts.path(of: hash), O_WRONLY | O_TRUNC)
        try library.download(bytes, for: a)
        try Array("%PDF-late".utf8).withUnsafeBytes { try editor.write($0) }

        #expect(try AtomicFile.read(library.charts.path(of: hash), limit: 1000) == bytes)
        #expect(try library.charts.savedCharts().setAside.map { try AtomicFile.read($0, limit: 1000) } == [Array("%PDF-late".utf8)])
    }

    @Test @LoopActor func whatComesToStandThereDuringTheDownloadIsKept() throws {
        let library = try library()
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        let hash = Samples.hash(bytes)
        // First a file of the chart's length is in the way, and then a folder.
        try AtomicFile.write(String(repeating: "y", count: bytes.count), to: library.charts.path(of: hash))
        let aside = try library.charts.keep(file, hash: hash, size: bytes.count, for: a.id, version: a.version)
        #expect(try AtomicFile.read(try #require(aside), limit: 1000).first == UInt8(ascii: "y"))
        #expect(try AtomicFile.read(library.charts.path(of: hash), limit: 1000) == bytes)

        unlink(library.charts.path(of: hash))
        try Folder.create(library.charts.path(of: hash) + "/mine")
        try library.download(bytes, for: a)
        #expect(try library.charts.savedCharts().setAside.contains { (try? Folder.names(in: $0)) == ["mine"] })
    }

    @Test @LoopActor func chartsCannotBeWrittenToAndFormerOnesAreMended() throws {
        let library = try library()
        let path = library.charts.path(of: try library.download(bytes, for: a))
        #expect(mode(path) == 0o400)
        #expect(try library.charts.chartFilesToRead().isEmpty, "it was hashed as it came")

        chmod(path, 0o600)
        #expect(try library.charts.chartFilesToRead().map(\.path) == [path])
        try readAll(library)
        #expect(mode(path) == 0o400)
        #expect(try library.charts.chartFilesToRead().isEmpty)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
    }

    @Test @LoopActor func whatWasSavedOverAChartOutlivesIt() throws {
        let library = try library()
        let path = library.charts.path(of: try library.download(bytes, for: a))
        try Way.inItsPlace.save(Array("%PDF-mine".utf8), over: path)
        for days in [40, 80, 120] { _ = try library.prune(now: Samples.monday + .seconds(days * 86400), isTrusted: true) }

        #expect(try library.charts.chart(of: a.id) == nil)
        #expect(access(path, F_OK) != 0)
        let aside = try library.charts.savedCharts().setAside
        #expect(try aside.map { try AtomicFile.read($0, limit: 1000) } == [Array("%PDF-mine".utf8)])
        #expect(try library.journal.entries().last?.change.sentence.contains(try #require(aside.first)) == true)
    }

    @Test @LoopActor func aFileThatTakesALinksPlaceStaysAndIsTold() throws {
        let library = try library()
        try library.download(bytes, for: a)
        let link = try #require(try library.linkCharts(into: home.path("music")).made.first)
        try AtomicFile.write("%PDF-mine", to: link)
        // The chart changes, and later its plan is removed.
        let newer = Samples.attachment("a", updated: 2)
        try library.plans.update([Samples.contents("1", attachments: [newer])], at: Samples.monday)
        try library.download(Samples.pdf("newer"), for: newer)

        #expect(try library.linkCharts(into: home.path("music")).inTheWay == [link])
        #expect(try library.charts.savedCharts().inPlaceOfLinks == [link])
        _ = try library.prune(now: Samples.monday + .seconds(80 * 86400), isTrusted: true)
        _ = try library.linkCharts(into: home.path("music"))
        #expect(try AtomicFile.read(link, limit: 1000) == Array("%PDF-mine".utf8))
    }
}
