import Agent
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

@testable import Readiness

/// If one page cannot be read, only that page is missing.
@Suite(.onLoop)
struct OneBadPageTests {
    private static let hash = SmallService.Plan.sunday.charts[0].hash
    private static let bad = PageIndex(1)
    private static let failure = RenderFailure.noSuchPage(bad)

    private let folder = TemporaryFolder()

    /// An agent whose first chart has five pages; a worker counts the second page, but cannot find it for drawing.
    @LoopActor
    private func start(layers: [String] = []) throws -> Stage {
        let stage = try Stage.sunday(in: folder)
        stage.service.layers["1"] = layers
        let pages = Array(repeating: PageGeometry(width: 612, height: 792), count: 5)
        let description = ChartDescription(pages: pages, warnings: ["page 2 cannot be read; the others are shown"])
        let path = stage.describe(Self.hash, as: description)
        stage.renderer.verdict = { $0.chart == path && $0.page == Self.bad ? .failure(Self.failure) : .success(PageOutcome()) }
        return stage
    }

    @LoopActor
    private func drawn(_ stage: Stage) -> Set<PageIndex> {
        Set(stage.cache.present().filter { $0.folder == ImageFolder(of: Self.hash) }.map(\.page))
    }

    @Test @LoopActor func allOtherPagesAreDrawnAndItIsTriedOnce() async throws {
        let stage = try start()
        await stage.sync()
        #expect(drawn(stage) == Set([0, 2, 3, 4].map { PageIndex($0) }))
        let path = stage.library.charts.path(of: Self.hash)
        #expect(stage.newJobs().count { $0.chart == path && $0.page == Self.bad } == 1)
        #expect(stage.logged.contains { $0.contains("'Song a.pdf'") && $0.contains("page 2 cannot be read; the others are shown") })
        await stage.agent.stop()

        // A later run does not try the bad page either, and the other chart is as complete as before.
        let next = try start()
        await next.sync()
        #expect(next.newJobs().isEmpty && next.renderer.described.isEmpty)
        #expect(try await next.agent.planTable().rows.map(\.state) == ["\(Self.failure)", "ready"])
    }

    @Test @LoopActor func readyNamesItAlone() async throws {
        let stage = try start()
        await stage.sync()
        let expected = [[ReadinessLack.cannotBeDrawn([Self.bad], reason: "\(Self.failure)")], []]
        #expect(try await stage.agent.readiness().plans[0].charts.map(\.lacks) == expected)
        #expect(try await stage.agent.outlook(of: stage.library.plans.all())[0].report.charts.map(\.lacks) == expected)
        let sentence = expected[0][0].sentence
        #expect(sentence == "page 2 cannot be drawn: the PDF has no readable page 2")
    }

    @Test @LoopActor func whoLooksAtItIsToldAndSeesTheOthers() async throws {
        let stage = try start()
        await stage.sync()
        await stage.clock.run {
            await #expect(throws: Trouble.cannotBeDrawn("\(Self.failure)")) {
                try await stage.agent.showing.select(chart: AttachmentID("a"), page: Self.bad, isMarked: true)
            }
            for page in [0, 2, 3, 4] {
                let shown = try? await stage.agent.showing.select(chart: AttachmentID("a"), page: PageIndex(page), isMarked: true)
                #expect(shown?.name.page == PageIndex(page) && shown?.source != .rendered)
            }
        }
        // The bad page keeps its place among the pages.
        let attachment = try #require(try stage.library.plans.all().flatMap(\.attachments).first { $0.id == AttachmentID("a") })
        #expect(try await stage.agent.outlook(of: attachment).pages.map(\.isReady) == [true, false, true, true, true])
    }

    @Test @LoopActor func marksOnItAreLackingWithItAndThoseOnOthersAreShown() async throws {
        let stage = try start(layers: [SmallService.layer("l", on: "a", pages: [1, 2])])
        await stage.sync()
        let annotated = stage.cache.present().filter { $0.variant == .annotated }.map(\.page)
        #expect(annotated == [PageIndex(2)])
        // No message promises that a sync would bring the marks.
        let lacks = try await stage.agent.readiness().plans[0].charts[0].lacks
        #expect(lacks == [.cannotBeDrawn([Self.bad], reason: "\(Self.failure)")])
    }
}
