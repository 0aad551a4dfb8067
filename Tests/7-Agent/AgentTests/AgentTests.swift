import Agent
import Glibc
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import TestSupport
import Testing

@testable import ImageKeeping
@testable import Sync

/// The whole agent on a simulated clock, network and renderer, with a real library and cache.
@Suite(.onLoop)
struct AgentTests {
    private static func chart(_ id: String, _ text: String? = nil) -> SmallService.Chart {
        SmallService.Chart(id: id, name: "Song \(id)", bytes: SmallService.pdf(text ?? id))
    }

    private static let sunday = SmallService.Plan(
        id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart("a"), chart("b"), chart("c")])

    @Test @LoopActor func pollBringsChartsAndEveryImage() async throws {
        let stage = try Stage([Self.sunday])
        let outcome = await stage.sync()
        #expect(outcome.isComplete, "\(outcome.setbacks)")
        let table = try await stage.agent.planTable()
        #expect(table.isComplete)
        #expect((table.plans, table.charts, table.pages, table.images) == (1, 3, 6, 12))
        #expect(stage.agent.tally.rendered == 12)
        #expect(stage.cache.present().count == 12)
    }

    @Test @LoopActor func secondPollDoesNothing() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        let (jobs, opened) = (stage.renderer.started.count, stage.service.opened.count)
        await stage.sync()
        #expect(stage.renderer.started.count == jobs)
        #expect(stage.service.opened.count == opened)
        #expect(stage.renderer.described.count == 3)
    }

    @Test @LoopActor func chartsOfAPlanThatIsHeldBackStayAsTheyAreToo() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        var changed = Self.chart("a", "another")
        changed.updatedAt = "2026-11-20T10:00:00Z"
        stage.service.plans[0].charts = [changed]
        let outcome = await stage.sync()
        #expect(try stage.library.plans.heldBack().count == 1)
        #expect(outcome.setbacks.count == 1, "\(outcome.setbacks)")
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == ChartHash(SHA256.digest(of: SmallService.pdf("a"))))
        // The shorter list of charts is only accepted after this time.
        await stage.wait(for: .seconds(3600))
        await stage.sync()
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == ChartHash(SHA256.digest(of: SmallService.pdf("another"))))
    }

    @Test @LoopActor func severalDownloadsRunAtOnceAndMarksComeMeanwhile() async throws {
        var plan = Self.sunday
        plan.charts = (0..<20).map { Self.chart("\($0)") }
        let stage = try Stage([plan])
        await stage.sync()
        #expect(stage.service.mostDownloads >= 4)
        #expect(stage.service.filesAfterLayers == 20)
        #expect(stage.service.opened.sorted() == plan.charts.map(\.id).sorted())
    }

    @Test @LoopActor func changedMarkMakesOneImageAgain() async throws {
        let stage = try Stage([Self.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0, 1])]
        await stage.sync()
        let before = stage.cache.present()
        #expect(before.count { $0.variant == .annotated } == 2)
        _ = stage.newJobs()

        stage.service.layers["1"] = [
            SmallService.layer("l", on: "a", pages: [0, 1]), SmallService.layer("m", on: "a", pages: [1], x: 0.25),
        ]
        await stage.sync()

        let jobs = stage.newJobs()
        #expect(jobs.map { $0.outputs.map(\.variant) } == [[.annotated]])
        let made = stage.cache.present().subtracting(before)
        #expect(made.map(\.page) == [PageIndex(1)])
        // The page is composed from the plain image and the former annotated one, without the PDF.
        let composed = try #require(stage.renderer.composed.first)
        #expect(stage.renderer.composed.count == 1)
        #expect(composed.marks.marks.count == 2)
        #expect(composed.previous?.marks.marks.count == 1)
    }

    /// A renderer's report of damage is not enough to remove an image: the agent removes it only if its file is damaged indeed.
    @Test(arguments: [true, false]) @LoopActor func aDamagedPlainImageIsMadeAgainWithTheAnnotatedOne(isDamaged: Bool) async throws {
        let stage = try Stage([Self.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
        await stage.sync()
        let before = stage.cache.present()
        _ = stage.newJobs()
        if isDamaged {
            for name in before where name.variant == .plain {
                var bytes = try AtomicFile.read(stage.cache.path(of: name), limit: 1 << 20)
                bytes[bytes.count / 2] ^= 1
                let file = try Descriptor.open(stage.cache.path(of: name), O_WRONLY)
                try bytes.withUnsafeBytes { try file.write($0) }
            }
        }
        // Only jobs that start from images have no chart; these jobs report that an image is damaged.
        stage.renderer.verdict = { $0.chart.isEmpty ? .failure(.damagedImage) : .success(PageOutcome()) }
        stage.service.layers["1"] = [
            SmallService.layer("l", on: "a", pages: [0]), SmallService.layer("m", on: "a", pages: [0], x: 0.25),
        ]
        await stage.sync()

        let drawn: [[Variant]] = [[.annotated]] + (isDamaged ? [[.plain]] : [])
        #expect(stage.newJobs().filter { !$0.chart.isEmpty }.map { $0.outputs.map(\.variant) } == drawn)
        #expect(stage.logged.contains { $0.contains("its plain image was damaged") } == isDamaged)
        #expect(stage.cache.present().isSuperset(of: before.filter { $0.variant == .plain }))
        #expect(stage.cache.present().subtracting(before).map(\.variant) == [.annotated])
    }

    @Test @LoopActor func replacedChartMakesItsOwnPagesAgain() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        _ = stage.newJobs()
        stage.service.plans[0].charts[1].bytes = SmallService.pdf("new edition")
        stage.service.plans[0].charts[1].updatedAt = "2026-11-20T10:00:00Z"
        await stage.sync()
        let replaced = stage.library.charts.path(of: ChartHash(SHA256.digest(of: SmallService.pdf("new edition"))))
        let jobs = stage.newJobs()
        #expect(jobs.allSatisfy { $0.chart == replaced })
        // Each page is drawn once to check that it can be, and once for the cache.
        #expect(jobs.map(\.page.value) == [0, 1, 0, 1])
        #expect(stage.service.opened.suffix(1) == ["b"])
    }

    @Test @LoopActor func movedItemRendersNothing() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        _ = stage.newJobs()
        stage.service.plans[0].charts.swapAt(0, 2)
        await stage.sync()
        #expect(stage.newJobs().isEmpty)
    }

    @Test @LoopActor func offlineKeepsAndRendersWhatIsHere() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        for name in stage.cache.present() { unlink(stage.cache.path(of: name)) }
        stage.service.network.failure = HTTPFailure(.unreachable, "no route")
        let outcome = await stage.sync()
        await stage.settle()
        #expect(outcome.reach == .offline)
        #expect(outcome.setbacks.count == 1)
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func aPlanIsNotCompleteWhileAChartsFileIsGone() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        let before = try await stage.agent.planTable()
        #expect(before.isComplete && before.isReady && before.charts == 3)
        unlink(stage.library.charts.path(of: ChartHash(SHA256.digest(of: Self.sunday.charts[0].bytes))))
        let table = try await stage.agent.planTable()
        #expect(!table.isComplete && !table.isReady && table.charts == 2)
    }

    @Test @LoopActor func pageThatCannotBeDrawnIsCountedAndNotTriedAgain() async throws {
        let stage = try Stage([Self.sunday])
        let bad = stage.library.charts.path(of: ChartHash(SHA256.digest(of: Self.sunday.charts[1].bytes)))
        stage.renderer.verdict = { $0.chart == bad && $0.page.value == 1 ? .failure(.drawing("too hard")) : .success(PageOutcome()) }
        await stage.sync()
        #expect(stage.agent.tally.failed == 2)
        #expect(stage.agent.tally.rendered == 10)
        _ = stage.newJobs()
        await stage.settle()
        #expect(stage.newJobs().isEmpty)
        let states = try await stage.agent.planTable().rows.map(\.state)
        #expect(states == ["ready", RenderFailure.drawing("too hard").description, "ready"])
    }

    @Test @LoopActor func killedRendererCostsNothingForGood() async throws {
        let stage = try Stage([Self.sunday])
        var isFirst = true
        stage.renderer.verdict = { _ in
            defer { isFirst = false }
            return isFirst ? .failure(.crashed("was ended by signal 9")) : .success(PageOutcome())
        }
        let whole = stage.renderer.describe
        var describedBefore = false
        stage.renderer.describe = {
            defer { describedBefore = true }
            return describedBefore ? whole($0) : .failure(.crashed("was ended by signal 9"))
        }
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
        #expect(stage.agent.tally.failed == 0)
    }

    @Test @LoopActor func chartThatHangsDoesNotHoldUpTheOthers() async throws {
        let stage = try Stage([Self.sunday])
        let hanging = stage.library.charts.path(of: ChartHash(SHA256.digest(of: Self.sunday.charts[0].bytes)))
        stage.renderer.hangs = { $0 == hanging }
        let outcome = await stage.clock.run { await stage.agent.poll() }
        #expect(outcome.isComplete)
        try await stage.clock.run {
            while stage.agent.tally.rendered < 8 { try await stage.clock.sleep(for: .milliseconds(10)) }
        }
        #expect(stage.agent.tally.rendered == 8)
        await stage.renderer.stop()
        await stage.clock.run { await stage.agent.settled() }
    }

    @Test(arguments: ["", "garbage"]) @LoopActor func damagedImageIsMadeAgainAtTheNextStart(content: String) async throws {
        let folder = TemporaryFolder()
        let first = try Stage([Self.sunday], in: folder)
        await first.sync()
        let victim = try #require(first.cache.present().sorted().first)
        try AtomicFile.write(content, to: first.cache.path(of: victim))
        await first.agent.stop()

        let second = try Stage([Self.sunday], in: folder)
        await second.sync()
        #expect(second.newJobs().flatMap { $0.outputs.map(\.variant) } == [victim.variant])
        #expect(try await second.agent.planTable().isComplete)
    }

    @Test @LoopActor func noImageIsMadeFromAChangedFile() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        let path = stage.library.charts.path(of: ChartHash(SHA256.digest(of: Self.sunday.charts[0].bytes)))
        let bytes = Self.sunday.charts[0].bytes
        try AtomicFile.write(String(bytes.dropLast()) + "X", to: path)
        for name in stage.cache.present() { unlink(stage.cache.path(of: name)) }
        _ = stage.newJobs()
        await stage.settle()
        #expect(stage.newJobs().allSatisfy { $0.chart != path })
        #expect(try AtomicFile.read(path, limit: 1000).last == UInt8(ascii: "X"))

        await stage.sync()
        #expect(stage.service.opened.suffix(1) == ["a"])
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func unreadableChartIsRememberedUntilTheRendererChanges() async throws {
        let stage = try Stage([Self.sunday])
        let bad = stage.library.charts.path(of: ChartHash(SHA256.digest(of: Self.sunday.charts[0].bytes)))
        let whole = stage.renderer.describe
        stage.renderer.describe = { $0 == bad ? .failure(.encrypted) : whole($0) }
        await stage.sync()
        await stage.settle()
        #expect(stage.renderer.described.count { $0 == bad } == 1)
        let states = try await stage.agent.planTable().rows.map(\.state)
        #expect(states.first == RenderFailure.encrypted.description)

        stage.renderer.describe = whole
        stage.renderer.currentTag = RendererTag("newer")
        await stage.settle()
        #expect(try await stage.agent.planTable().isComplete)
    }
}
