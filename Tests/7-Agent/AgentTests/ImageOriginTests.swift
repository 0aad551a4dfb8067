import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// Why images were made, as the library tells it after an agent has made them.
@Suite(.onLoop)
struct ImageOriginTests {
    @LoopActor
    private func causes(_ stage: MarkStage, _ variant: Variant, page: Int = 0) throws -> [ImageCause] {
        let library = stage.stage.library
        let chart = try #require(try library.charts.chart(of: AttachmentID("a")))
        let inputs = ImageInputs(
            renderer: RendererIdentity(tag: RendererTag("any"), fonts: FontSet(SHA256.digest(of: "any"))), chart: chart.hash,
            chartNeedsFonts: false, page: PageIndex(page), variant: variant, settings: RenderSettings(),
            marks: MarkDigest(SHA256.digest(of: "any")))
        return try library.images.record(besides: ImageName(inputs))?.origin?.causes ?? []
    }

    private func marks(_ places: Double...) -> String {
        let marks = places.map { #"{"id":"\#($0)","page":0,"kind":"pen","points":[[\#($0),0.2]]}"# }.joined(separator: ",")
        return #"{"version":1,"attachment_id":"a","marks":[\#(marks)]}"#
    }

    @Test @LoopActor func marksThatComeAndGoAreToldByTheirFiles() async throws {
        let stage = try await MarkStage(["a"])
        #expect(try causes(stage, .plain) == [.firstNeeded(by: PlanID("1"))])
        #expect(try causes(stage, .thumbnail, page: 1) == [.firstNeeded(by: PlanID("1"))])
        #expect(try causes(stage, .annotated) == [])

        let (mine, other) = (stage.music.path("mine.marks.json"), stage.music.path("other.marks.json"))
        func save(_ text: String, _ path: String) async throws {
            try AtomicFile.write(text, to: path)
            stage.stage.events.send(.written(path))
            await stage.quiet()
        }
        try await save(marks(0.1), mine)
        #expect(try causes(stage, .annotated) == [.firstMarks])
        try await save(marks(0.1, 0.2), mine)
        #expect(try causes(stage, .annotated) == [.marks(layers: [.init(LayerID("file:" + mine), .changed)])])
        try await save(marks(0.3), other)
        #expect(try causes(stage, .annotated) == [.marks(layers: [.init(LayerID("file:" + other), .came)])])
        unlink(mine)
        stage.stage.events.send(.removed(mine))
        await stage.quiet()
        #expect(try causes(stage, .annotated) == [.marks(layers: [.init(LayerID("file:" + mine), .went)])])
        #expect(try causes(stage, .plain) == [.firstNeeded(by: PlanID("1"))], "nothing but the annotated image was made again")

        let record = try #require(try stage.stage.library.images.records().first { $0.name.variant == .annotated })
        unlink(stage.stage.cache.path(of: record.name))
        stage.stage.events.send(.removed(stage.stage.cache.path(of: record.name)))
        await stage.quiet()
        #expect(try causes(stage, .annotated) == [.again(.vanished)])
        await stage.end()
    }

    @Test @LoopActor func replacedChartsAndRenderersAreTold() async throws {
        let folder = TemporaryFolder()
        func run(_ bytes: String, tag: String) async throws -> Set<[ImageCause]> {
            let chart = SmallService.Chart(
                id: "a", name: "Song a", bytes: SmallService.pdf(bytes), updatedAt: "2026-11-20T10:00:0\(bytes)Z")
            let stage = try Season.start(
                in: folder, plans: [SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])])
            stage.renderer.currentTag = RendererTag(tag)
            await stage.sync()
            let hash = try #require(try stage.library.charts.chart(of: AttachmentID("a"))?.hash)
            let names = try stage.library.images.records().map(\.name).filter { $0.chart == hash.digest.shortHex }
            let causes = try Set(names.map { try stage.library.images.record(besides: $0)?.origin?.causes ?? [] })
            await stage.agent.stop()
            return causes
        }
        #expect(try await run("1", tag: "r1") == [[.firstNeeded(by: PlanID("1"))]])
        #expect(try await run("1", tag: "r2") == [[.renderer]])
        #expect(try await run("2", tag: "r2") == [[.chartReplaced]])
    }
}
