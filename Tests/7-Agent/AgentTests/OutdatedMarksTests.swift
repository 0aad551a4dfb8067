import Agent
import Following
import Glibc
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// Marks on a chart whose bytes were replaced.
@Suite(.onLoop)
struct OutdatedMarksTests {
    private static func chart(_ text: String, _ day: Int) -> SmallService.Chart {
        SmallService.Chart(
            id: "a", name: "Song", bytes: SmallService.pdf(text), updatedAt: "2026-11-0\(day)T10:00:00Z")
    }
    private static let plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart("old", 1)])
    private static let hashes = ["old", "new", "newer"].map { ChartHash(SHA256.digest(of: SmallService.pdf($0))) }
    private let attachment = AttachmentID("a")
    private let layer = LayerID("l")

    /// A chart with marks on `pages`; its new version looks different on the second page.
    @LoopActor private func stage(pages: [Int], _ settings: AgentSettings = AgentSettings()) async throws -> Stage {
        let stage = try Stage([Self.plan], settings: settings)
        looks(stage.renderer)
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: pages)]
        await stage.sync()
        _ = stage.newJobs()
        return stage
    }

    private static func settings(_ folder: TemporaryFolder) -> AgentSettings {
        AgentSettings(marks: MarkSettings(roots: MarkRoots([folder.path("marks")])))
    }

    /// The same with marks in a file of the musician's.
    @LoopActor private func stageWithFile(pages: [Int]) async throws -> Stage {
        let folder = TemporaryFolder()
        try Folder.create(folder.path("marks"))
        let text = MarkText.native("a", pages.map { MarkText.Dot(page: $0, x: 0.5) })
        try AtomicFile.write(text, to: folder.path("marks/song.marks.json"))
        let stage = try Stage([Self.plan], in: folder, settings: Self.settings(folder))
        looks(stage.renderer)
        stage.stay()
        await stage.sync()
        await stage.settle()
        #expect(try stage.library.drawings.layerHeads(of: attachment).count == 1)
        return stage
    }

    @LoopActor private func looks(_ renderer: SimulatedRenderer) {
        renderer.shade = { $0.chart.contains(Self.hashes[0].digest.hex) && $0.page == PageIndex(1) ? 1 : 0 }
    }

    @LoopActor private func replace(_ stage: Stage, _ text: String, _ day: Int) async {
        stage.service.plans[0].charts = [Self.chart(text, day)]
        await stage.sync()
    }

    private func outdated(_ pages: [Int], former: Int = 0) -> [OutdatedMarks] {
        [
            OutdatedMarks(
                attachment: attachment, chart: Self.hashes[1], layer: layer, former: Self.hashes[former], pages: pages.map { PageIndex($0) }
            )
        ]
    }

    /// The pages that were drawn for a comparison, each as version and page number.
    private func compared(_ jobs: [PageJob]) -> Set<String> {
        Set(
            jobs.filter { $0.settings.fullSize == 1000 }.map { job in
                "\(Self.hashes.firstIndex { job.chart.contains($0.digest.hex) } ?? -1) \(job.page.value)"
            })
    }

    @Test @LoopActor func onlyPagesThatLookDifferentAreOutdated() async throws {
        let stage = try await stage(pages: [0, 1])
        await replace(stage, "new", 2)
        let jobs = stage.newJobs()
        #expect(compared(jobs) == ["0 0", "0 1", "1 0", "1 1"])
        #expect(stage.renderer.lanes.allSatisfy { $0 == .background })
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        #expect(stage.logged.count { $0.contains("marks made on an older version of 'Song' are on page 2") } == 1)
        let journal = try stage.library.journal.entries().map(\.change).filter { if case .marksOutdated = $0 { true } else { false } }
        #expect(journal == [.marksOutdated(.init(id: attachment, name: "Song.pdf"), pages: [PageIndex(1)])])
        // The marks are drawn on the pages of the new version that have the same numbers.
        let drawn = stage.cache.present().filter { $0.variant == .annotated && $0.chart == Self.hashes[1].digest.shortHex }
        #expect(Set(drawn.map(\.page.value)) == [0, 1])
        #expect(access(stage.library.charts.path(of: Self.hashes[0]), R_OK) == 0, "the old chart can still be read")

        await stage.sync()
        #expect(stage.newJobs().isEmpty)
        #expect(try stage.library.accept(chart: attachment) == .marks)
        await stage.settle()
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        #expect(stage.newJobs().isEmpty)
        await stage.agent.stop()
    }

    @Test @LoopActor func marksThatAreSureFollowTheMusicOnce() async throws {
        let stage = try await stageWithFile(pages: [0, 1])
        stage.renderer.follows = { job in
            .success(
                job.marks.map { mark in
                    var moved = mark
                    moved.page = PageIndex(0)
                    return Following.Moved(mark: moved, confidence: 1)
                })
        }
        await replace(stage, "new", 2)
        #expect(stage.renderer.followed.map { $0.marks.map(\.page) } == [[PageIndex(1)]], "only those that look different")
        let job = try #require(stage.renderer.followed.first)
        #expect(job.chart.contains(Self.hashes[0].digest.hex) && job.other.contains(Self.hashes[1].digest.hex))
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        #expect(try stage.library.drawings.layerHeads(of: attachment).map(\.pages) == [[PageIndex(0)]])
        #expect(stage.logged.contains { $0.contains("moved with the music") })
        #expect(!stage.logged.contains { $0.contains("older version") })
        await stage.sync()
        #expect(stage.renderer.followed.count == 1)
        await stage.agent.stop()
    }

    /// A colleague may have drawn on the new version before it arrived here.
    @Test @LoopActor func marksOfOthersDoNotFollow() async throws {
        let stage = try await stage(pages: [1])
        stage.renderer.follows = { job in .success(job.marks.map { Following.Moved(mark: $0, confidence: 1) }) }
        await replace(stage, "new", 2)
        #expect(stage.renderer.followed.isEmpty)
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        await stage.agent.stop()
    }

    @Test @LoopActor func marksThatCannotBeFollowedStayAndAreAskedAboutUntilTheNextRun() async throws {
        let stage = try await stageWithFile(pages: [1])
        stage.renderer.follows = { _ in .failure(.crashed("was killed")) }
        await replace(stage, "new", 2)
        for _ in 0..<3 { await stage.sync() }
        #expect(stage.renderer.followed.count == 2, "as often as a page that crashes the renderer")
        #expect(try stage.library.olderMarks.outdatedMarks().map(\.pages) == [[PageIndex(1)]])
        await stage.agent.stop()

        let next = try Stage(stage.service.plans, in: stage.folder, settings: Self.settings(stage.folder))
        next.renderer.follows = { job in .success(job.marks.map { Following.Moved(mark: $0, confidence: 1) }) }
        await next.sync()
        #expect(next.renderer.followed.count == 1)
        #expect(try next.library.olderMarks.outdatedMarks() == [])
        await next.agent.stop()
    }

    @Test @LoopActor func marksAreFollowedOnceAnObstacleIsGone() async throws {
        let stage = try await stageWithFile(pages: [1])
        stage.renderer.follows = { _ in .failure(.cannotStart("no memory")) }
        await replace(stage, "new", 2)
        for _ in 0..<3 { await stage.sync() }
        #expect(try stage.library.olderMarks.outdatedMarks().map(\.pages) == [[PageIndex(1)]])
        stage.renderer.follows = { job in .success(job.marks.map { Following.Moved(mark: $0, confidence: 1) }) }
        await stage.sync()
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        await stage.agent.stop()
    }

    @Test @LoopActor func aPlansPDFSaysItOnThePageUntilTheyAreAccepted() async throws {
        let folder = TemporaryFolder()
        var settings = AgentSettings()
        settings.pdfFolder = folder.path
        let stage = try await stage(pages: [0, 1], settings)
        func lines() -> [PageIndex] {
            (stage.pdfs.parts.last?.marks ?? []).filter { $0.text?.contains("made on another version") == true }.map(\.page)
        }
        #expect(stage.pdfs.parts.count == 1 && lines() == [])
        await stage.wait(for: .seconds(301))
        await replace(stage, "new", 2)
        await stage.wait(for: .seconds(301))
        await stage.settle()
        #expect(lines() == [PageIndex(1)])
        let before = stage.pdfs.parts.count
        try stage.library.accept(chart: attachment)
        await stage.wait(for: .seconds(301))
        await stage.settle()
        #expect(stage.pdfs.parts.count == before + 1 && lines() == [])
        await stage.agent.stop()
    }

    @Test @LoopActor func equalPagesAreNotOutdated() async throws {
        let stage = try await stage(pages: [0])
        await replace(stage, "new", 2)
        #expect(compared(stage.newJobs()) == ["0 0", "1 0"])
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        #expect(try stage.library.olderMarks.pagesToCompare() == [])
        #expect(!stage.logged.contains { $0.contains("older version") })
        // A mark on another page needs a comparison of its own.
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0, 1])]
        await stage.sync()
        #expect(compared(stage.newJobs()) == ["0 1", "1 1"])
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        await stage.agent.stop()
    }

    @Test @LoopActor func whatWasFoundOutIsKnownAfterARestart() async throws {
        let first = try await stage(pages: [0, 1])
        await replace(first, "new", 2)
        #expect(try first.library.olderMarks.outdatedMarks() == outdated([1]))
        await first.agent.stop()

        let second = try Stage(first.service.plans, in: first.folder)
        second.service.layers = first.service.layers
        await second.sync()
        #expect(second.newJobs().isEmpty)
        #expect(try second.library.olderMarks.outdatedMarks() == outdated([1]))
        #expect(try second.library.journal.entries().count { if case .marksOutdated = $0.change { true } else { false } } == 1)
        await second.agent.stop()
    }

    @Test @LoopActor func aPageThatIsNotThereAnyMoreIsDifferent() async throws {
        let stage = try await stage(pages: [0, 1])
        stage.renderer.shade = { _ in 0 }
        stage.renderer.describe = { path in
            let page = PageGeometry(width: 612, height: 792)
            return .success(ChartDescription(pages: path.contains(Self.hashes[1].digest.hex) ? [page] : [page, page]))
        }
        stage.renderer.verdict = { job in
            job.chart.contains(Self.hashes[1].digest.hex) && job.page.value > 0 ? .failure(.noSuchPage(job.page)) : .success(PageOutcome())
        }
        await replace(stage, "new", 2)
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        await stage.agent.stop()
    }

    @Test @LoopActor func whatCannotBeFoundOutIsNotClaimedAndTriedAgainInTheNextRun() async throws {
        let stage = try await stage(pages: [1])
        stage.renderer.verdict = { job in
            job.chart.contains(Self.hashes[0].digest.hex) ? .failure(.crashed("was killed")) : .success(PageOutcome())
        }
        await replace(stage, "new", 2)
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        await stage.settle()
        #expect(stage.logged.count { $0.contains("with its former version: ") } == 1)
        _ = stage.newJobs()
        await stage.settle()
        #expect(stage.newJobs().isEmpty)
        await stage.agent.stop()

        let next = try Stage(stage.service.plans, in: stage.folder)
        looks(next.renderer)
        next.service.layers = stage.service.layers
        await next.sync()
        #expect(try next.library.olderMarks.outdatedMarks() == outdated([1]))
        await next.agent.stop()
    }

    /// Neither a busy machine nor a lack of memory or room, nor a single crash, proves anything about the page, so the comparison
    /// is repeated.
    @Test(arguments: [RenderFailure.heldUp(seconds: 60), .cannotStart("no memory"), .cannotWrite(ENOSPC), .crashed("was killed")])
    @LoopActor func whatCouldNotBeComparedForAMomentIsComparedAtTheNextLook(failure: RenderFailure) async throws {
        let stage = try await stage(pages: [1])
        var hasFailed = false
        stage.renderer.verdict = { job in
            guard job.settings.fullSize == 1000, !hasFailed else { return .success(PageOutcome()) }
            hasFailed = true
            return .failure(failure)
        }
        await replace(stage, "new", 2)
        await stage.settle()
        #expect(stage.logged.count { $0.contains("with its former version: \(failure)") } == 1)
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        await stage.agent.stop()
    }

    /// Until the former chart is back, nothing can show whether the marks fit the new version.
    @Test @LoopActor func marksOfAFormerChartThatIsLostAreOutdatedOnEveryPage() async throws {
        let stage = try await stage(pages: [0, 1])
        let path = stage.library.charts.path(of: Self.hashes[0])
        #expect(rename(path, path + ".away") == 0)
        await replace(stage, "new", 2)
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([0, 1]))
        #expect(stage.logged.count { $0.contains("could not compare") && $0.hasSuffix("is not here") } == 1)

        #expect(rename(path + ".away", path) == 0)
        await stage.sync()
        #expect(try stage.library.olderMarks.outdatedMarks() == outdated([1]))
        await stage.agent.stop()
    }

    @Test @LoopActor func acceptedMarksAreOutdatedByTheNextVersionOnly() async throws {
        let stage = try await stage(pages: [1])
        await replace(stage, "new", 2)
        #expect(try stage.library.accept(chart: attachment) == .marks)
        // The new version looks as it did at the acceptance.
        await replace(stage, "newer", 3)
        #expect(try stage.library.olderMarks.outdatedMarks() == [])
        stage.renderer.shade = { _ in 0 }
        await replace(stage, "old", 4)
        #expect(try stage.library.olderMarks.outdatedMarks() == [], "they were made on these bytes")
        await stage.agent.stop()
    }
}
