import Agent
import Catalogue
import ChartFiles
import Glibc
import Library
import Model
import PageCache
import Platform
import Readiness
import TestSupport
import Testing

@testable import Sync

/// If a PDF is edited through its link in the music folder, the user keeps the edited file, and the chart is fetched again.
@Suite(.onLoop)
struct SavedOverChartTests {
    private static let bytes = Array(SmallService.Plan.sunday.charts[0].bytes.utf8)
    private static let hash = ChartHash(SHA256.digest(of: bytes))

    private let folder = TemporaryFolder()

    /// Changes one byte and nothing else about the file, as a failing disk does.
    @LoopActor private func rot(_ stage: Stage) throws {
        let path = stage.library.charts.path(of: Self.hash)
        try AtomicFile.write(edited("X"), to: path)
        let file = ChartFile(chart: Self.hash, path: path, size: Self.bytes.count, lastReading: nil)
        let stamp = try #require(try file.examine(isThorough: true).reading).stamp
        try stage.library.charts.note([(Self.hash, ChartFile.Reading(stamp: stamp, isWhole: true))])
        #expect(try stage.library.charts.hasBytes(of: Self.hash), "nobody knows")
    }

    @Test @LoopActor func aChartWhoseBytesRottedIsFetchedAgainByTheSyncThatFindsIt() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        try rot(stage)
        let report = try await stage.clock.run { try await stage.agent.readiness() }
        #expect(report.isReady)
        #expect(try AtomicFile.read(stage.library.charts.path(of: Self.hash), limit: 1000) == Self.bytes)
        #expect(stage.service.opened.count { $0 == "a" } == 2)
    }

    @Test @LoopActor func whatWasFoundDamagedIsDamagedUntilItIsFetchedAgain() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        try rot(stage)
        stage.service.network.failure = HTTPFailure(.unreachable, "no route")
        await stage.sync()
        let report = try await stage.clock.run { try await stage.agent.readiness() }
        #expect(!report.isReady)
        // A command in another process reports the damage, too, without reading every byte.
        let reader = try Library(readingFrom: folder.path("data"))
        #expect(try !reader.charts.hasBytes(of: Self.hash))
        reader.close()
        stage.service.network.failure = nil
        await stage.sync()
        #expect(try AtomicFile.read(stage.library.charts.path(of: Self.hash), limit: 1000) == Self.bytes)
        #expect(try await stage.clock.run { try await stage.agent.readiness() }.isReady)
    }

    @Test @LoopActor func ofAChartWhoseFileIsGoneThePagesAreStillShown() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        let chart = try #require(stage.library.plans.all().flatMap(\.attachments).first)
        let before = try await stage.agent.outlook(of: chart)
        #expect(!before.pages.isEmpty && before.pages.allSatisfy(\.isReady))

        let path = stage.library.charts.path(of: Self.hash)
        unlink(path)
        stage.service.network.failure = HTTPFailure(.unreachable, "no route")
        await stage.sync()
        let after = try await stage.agent.outlook(of: chart)
        #expect(after.pages.map(\.plain.name) == before.pages.map(\.plain.name) && after.pages.allSatisfy(\.isReady))
        #expect(after.report.lacks == [.fileGone(path: path)])
        func select() async throws -> ImageName {
            try await stage.clock.run { try await stage.agent.showing.select(chart: chart.id, page: PageIndex(0), isMarked: true).name }
        }
        #expect(try await select() == after.pages[0].annotated.name)

        // Once no image of the chart is left, its pages cannot be shown: nothing can be drawn.
        for name in after.pages.flatMap({ [$0.plain.name, $0.annotated.name] }) { unlink(stage.cache.path(of: name)) }
        await stage.settle()
        #expect(try await stage.agent.outlook(of: chart).pages.isEmpty)
        await #expect(throws: Trouble.notDownloaded) { _ = try await select() }
    }

    /// The chart's text with `letters` in place of its last character. A single letter keeps the length, so that only the content
    /// differs.
    private func edited(_ letters: String) -> String { SmallService.Plan.sunday.charts[0].bytes.dropLast() + letters }

    @Test(arguments: [true, false])
    @LoopActor func everyEditIsKeptToldAndFollowedByTheChart(isRunning: Bool) async throws {
        var stage = try Stage.sunday(in: folder)
        await stage.sync()
        let path = stage.library.charts.path(of: Self.hash)
        var sentences: [String] = []
        for edit in ["X", "Y", "Z and more"] {
            if !isRunning { await stage.agent.stop() }
            try AtomicFile.write(edited(edit), to: path)
            if !isRunning { stage = try Stage.sunday(in: folder) }

            let outcome = await stage.sync()
            #expect(outcome.setbacks.isEmpty)
            #expect(stage.service.opened.suffix(1) == ["a"])
            #expect(try AtomicFile.read(path, limit: 1000) == Self.bytes)
            sentences += outcome.changes.map(\.sentence)
        }
        let aside = try stage.library.charts.savedCharts().setAside
        #expect(
            Set(try aside.map { String(decoding: try AtomicFile.read($0, limit: 1000), as: UTF8.self) })
                == Set(["X", "Y", "Z and more"].map(edited)))
        #expect(aside.allSatisfy { file in sentences.contains { $0.contains(file) } }, "\(sentences)")
        #expect(try stage.library.journal.entries().suffix(3).map(\.change.sentence) == sentences)
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func itIsKeptAndToldWhereTheServiceHasAnotherVersionMeanwhile() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        try AtomicFile.write(edited("X"), to: stage.library.charts.path(of: Self.hash))
        stage.service.plans[0].charts[0].bytes = SmallService.pdf("corrected")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        let outcome = await stage.sync()
        let aside = try stage.library.charts.savedCharts().setAside
        #expect(try aside.map { String(decoding: try AtomicFile.read($0, limit: 1000), as: UTF8.self) } == [edited("X")])
        let sentences = outcome.changes.map(\.sentence)
        #expect(sentences.contains { sentence in aside.contains { sentence.contains($0) } }, "\(sentences)")
        #expect(try await stage.agent.planTable().isComplete)
        // A file that nobody edited is only the former version of the chart, so it is not set aside.
        stage.service.plans[0].charts[0].bytes = SmallService.pdf("corrected again")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-21T10:00:00Z"
        await stage.sync()
        #expect(try stage.library.charts.savedCharts().setAside == aside)
    }

    /// No link leads to the edited file any more, and no musician would search for the file in the library's folder of charts.
    @Test @LoopActor func itIsKeptAndToldWhereTheChartIsUploadedAnew() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        try AtomicFile.write(edited("X"), to: stage.library.charts.path(of: Self.hash))
        let chart = stage.service.plans[0].charts[0]
        stage.service.plans[0].charts[0] = SmallService.Chart(id: "a2", name: chart.name, bytes: SmallService.pdf("uploaded anew"))
        let outcome = await stage.sync()
        let aside = try stage.library.charts.savedCharts().setAside
        #expect(try aside.map { String(decoding: try AtomicFile.read($0, limit: 1000), as: UTF8.self) } == [edited("X")])
        #expect(aside.allSatisfy { $0.contains(chart.name.dropLast(4)) })
        let sentences = outcome.changes.map(\.sentence)
        #expect(sentences.contains { sentence in aside.contains { sentence.contains($0) } }, "\(sentences)")
        await stage.sync()
        #expect(try stage.library.charts.savedCharts().setAside == aside)
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func offlineTheEditStaysWhereItIs() async throws {
        let stage = try Stage.sunday(in: folder)
        await stage.sync()
        let path = stage.library.charts.path(of: Self.hash)
        try AtomicFile.write(edited("X"), to: path)
        stage.service.network.failure = HTTPFailure(.unreachable, "no route")
        await stage.sync()
        for _ in 0..<3 { await stage.settle() }
        #expect(try AtomicFile.read(path, limit: 1000) == Array(edited("X").utf8))
        #expect(try stage.library.charts.savedCharts().setAside.isEmpty)
    }
}
