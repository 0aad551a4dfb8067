import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Readiness
import Rendering
import TestSupport
import Testing

@testable import Sync

/// Pages that are selected while everything else waits to be rendered, on a simulated clock and renderer.
@Suite(.onLoop)
struct SelectionTests {
    private typealias Scene = SelectionScene

    @Test @LoopActor func aSelectedPageIsDrawnAloneAndTheNextTwoComeRightAfterIt() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        let answer = scene.select("2b", 1)
        await scene.until { scene.renderer.lanes.last == .live }
        await scene.rest()
        // The running jobs are aborted, and only the selected page has begun.
        #expect(scene.renderer.running == 1)
        #expect(scene.words(scene.stage.newJobs()) == ["2b.1"])
        scene.renderer.isHeld = false
        let shown = try await scene.stage.clock.run {
            scene.renderer.finishNext()
            return try await answer.value.get()
        }
        #expect(shown.source == .rendered && shown.name.page == PageIndex(1) && shown.name.variant == .plain)
        #expect(shown.bytes == (try? AtomicFile.read(scene.stage.cache.path(of: shown.name), limit: 1 << 20)))
        await scene.finish()
        let jobs = scene.words(scene.stage.newJobs())
        // After the selected page come its thumbnail, the next two pages, and the aborted jobs.
        #expect(Set(jobs.prefix(3)) == ["2b.1", "2b.2", "2b.3"])
        #expect(Array(jobs.dropFirst(3).prefix(2)) == ["1a.0", "1a.1"])
        #expect(try await scene.agent.planTable().isComplete)
        #expect(jobs.count == 30)
        #expect(scene.agent.tally.failed == 0)
    }

    @Test @LoopActor func thePagesOwnJobIsPromotedNotBegunAgain() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        let answer = scene.select("1a", 1)
        await scene.rest()
        #expect(scene.stage.newJobs().isEmpty)
        #expect(scene.renderer.running == 1)
        scene.renderer.isHeld = false
        let shown = try await scene.stage.clock.run {
            scene.renderer.finishNext()
            return try await answer.value.get()
        }
        #expect(shown.source == .rendered && shown.name.page == PageIndex(1))
        await scene.finish()
        #expect(!scene.words(scene.stage.newJobs()).contains("1a.1"))
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func ofSeveralSelectionsOnlyTheNewestIsAnswered() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        var answers: [Task<Result<ShownPage, Trouble>, Never>] = []
        for page in 0..<4 {
            answers.append(scene.select("2c", page))
            await scene.rest()
        }
        for answer in answers.dropLast() { #expect(await answer.value == .failure(.superseded)) }
        #expect(scene.renderer.running == 1)
        scene.renderer.isHeld = false
        let shown = try await scene.stage.clock.run {
            scene.renderer.finishNext()
            return try await answers[3].value.get()
        }
        #expect(shown.name.page == PageIndex(3))
        await scene.finish()
        let jobs = scene.words(scene.stage.newJobs())
        #expect(jobs.prefix(4) == ["2c.0", "2c.1", "2c.2", "2c.3"])
        #expect(Set(jobs.dropFirst(4).prefix(2)) == ["2c.3", "2c.4"])
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func theSamePageAskedForTwiceIsAnsweredTwice() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        let answers = [scene.select("2c", 0), scene.select("2c", 0)]
        await scene.rest()
        #expect(scene.words(scene.stage.newJobs()) == ["2c.0"])
        scene.renderer.isHeld = false
        let shown = await scene.stage.clock.run {
            scene.renderer.finishNext()
            return (await answers[0].value, await answers[1].value)
        }
        #expect(shown.0 == shown.1 && (try? shown.0.get()) != nil)
        await scene.finish()
    }

    @Test @LoopActor func aReadyPageComesFromTheCacheAndBreaksNothingOff() async throws {
        let scene = try await Scene()
        let first = try await scene.stage.clock.run { try await scene.select("1a", 0).value.get() }
        #expect(first.source == .rendered)
        await scene.beginAll()
        let running = scene.renderer.started.count
        for _ in 0..<20 {
            let shown = try await scene.select("1a", 0).value.get()
            #expect(shown.name == first.name && shown.bytes == first.bytes && shown.source == .memory)
        }
        await scene.rest()
        #expect(scene.renderer.running == 2 && scene.renderer.started.count == running)
        await scene.finish()
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func theNextTwoAreReadyToSend() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        let first = try await scene.select("1c", 0).value.get()
        #expect(first.source == .disk)
        await scene.rest()
        let (second, third) = (try await scene.select("1c", 1).value.get(), try await scene.select("1c", 2).value.get())
        #expect(second.source == .memory && third.source == .memory)
        #expect(scene.agent.memory.names.isSuperset(of: [third.name]))
    }

    @Test @LoopActor func nextPagesGoIntoMemoryAsSoonAsTheyAreMade() async throws {
        let scene = try await Scene()
        _ = try await scene.stage.clock.run { try await scene.select("2a", 2).value.get() }
        await scene.stage.settle()
        await scene.rest()
        #expect(scene.agent.memory.names.map(\.page.value).sorted() == [2, 3, 4])
    }

    @Test @LoopActor func markedPagesAreShownWithTheirMarks() async throws {
        let scene = try await Scene(layers: [SmallService.layer("l", on: "1b", pages: [0, 1])])
        await scene.beginAll()
        let answer = scene.select("1b", 1)
        await scene.rest()
        let job = try #require(scene.stage.newJobs().last)
        #expect(job.outputs.map(\.variant) == [.annotated] && job.marks?.marks.count == 1)
        scene.renderer.isHeld = false
        let shown = try await scene.stage.clock.run {
            scene.renderer.finishNext()
            return try await answer.value.get()
        }
        #expect(shown.name.variant == .annotated)
        await scene.finish()
        #expect(try await scene.select("1b", 1, isMarked: false).value.get().name.variant == .plain)
        #expect(try await scene.select("1b", 2).value.get().name.variant == .plain)
    }

    @Test @LoopActor func aPausedAgentStillDrawsWhatIsSelected() async throws {
        let scene = try await Scene()
        scene.agent.pause()
        scene.agent.reconcile()
        await scene.rest()
        #expect(scene.stage.newJobs().isEmpty)
        let shown = try await scene.stage.clock.run { try await scene.select("1b", 0).value.get() }
        #expect(shown.source == .rendered)
        await scene.rest()
        #expect(scene.words(scene.stage.newJobs()) == ["1b.0"])
        scene.agent.resume()
        await scene.stage.settleAsTold()
        #expect(try await scene.agent.planTable().isComplete)
    }

    /// A pause also stops the counting and comparing of pages, which does not help a waiting musician.
    @Test @LoopActor func inAPauseNoPagesAreCounted() async throws {
        let stage = try Stage(SelectionScene.plans)
        // The counts take long enough to be under way when the pause begins.
        stage.renderer.describing = .seconds(60)
        func charts() throws -> Int {
            try SelectionScene.plans.flatMap(\.charts).count {
                try stage.library.charts.description(of: ChartHash(SHA256.digest(of: $0.bytes))) != nil
            }
        }
        try await stage.clock.run {
            let sync = spawn { await stage.agent.poll() }
            try await stage.clock.sleep(for: .seconds(30))
            let begun = stage.renderer.described.count
            #expect(begun > 0)
            stage.agent.pause(for: .seconds(7200))
            try await stage.clock.sleep(for: .seconds(3600))
            #expect(stage.renderer.described.count == begun)
            #expect(try charts() == 0, "what was under way was broken off")
            try await stage.clock.sleep(for: .seconds(3700))
            _ = await sync.value
            await stage.agent.settled()
        }
        #expect(try charts() == 6)
        #expect(try await stage.agent.planTable().isComplete)
    }

    /// A plain image that was drawn with other fonts has another layout; new marks over it would be misplaced.
    @Test @LoopActor func newMarksAreNotLaidOverAPageOfOtherFonts() async throws {
        let stage = try Stage([SelectionScene.plans[0]])
        stage.service.layers["1"] = [SmallService.layer("l", on: "1a", pages: [0])]
        stage.renderer.describe = { _ in
            .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)], fontsNotEmbedded: ["Helvetica"]))
        }
        #expect(await stage.sync().isComplete)
        await stage.settle()
        _ = stage.newJobs()
        stage.renderer.currentFonts = FontSet(SHA256.digest(of: "one font more"))
        let shown = try await stage.clock.run {
            try await stage.agent.showing.select(chart: AttachmentID("1a"), page: PageIndex(0), isMarked: true)
        }
        #expect(shown.source == .rendered)
        #expect(stage.renderer.composed.isEmpty)
        #expect(stage.newJobs().first?.chart == stage.library.charts.path(of: ChartHash(SHA256.digest(of: SmallService.pdf("1a")))))
    }

    @Test @LoopActor func aPauseInTimeEndsByItself() async throws {
        let scene = try await Scene()
        scene.agent.pause(for: .seconds(7200))
        let until = try #require(scene.agent.pausedUntil)
        #expect(scene.agent.isPaused && until == Timestamp(sinceEpoch: scene.stage.clock.wallTime + .seconds(7200)))
        scene.agent.pause(for: .seconds(60))
        scene.agent.reconcile()
        await scene.stage.wait(for: .seconds(59))
        #expect(scene.agent.isPaused && scene.stage.newJobs().isEmpty)
        await scene.stage.wait(for: .seconds(2))
        #expect(!scene.agent.isPaused && scene.agent.pausedUntil == nil)
        await scene.stage.settleAsTold()
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func aPageThatCannotBeDrawnTellsWhyAndHoldsNobodyUp() async throws {
        let scene = try await Scene()
        let bad = scene.path("2b")
        scene.renderer.verdict = { $0.chart == bad && $0.page == PageIndex(2) ? .failure(.drawing("no ink")) : .success(PageOutcome()) }
        await scene.beginAll()
        let answer = scene.select("2b", 2)
        await scene.rest()
        scene.renderer.isHeld = false
        let failed = await scene.stage.clock.run {
            scene.renderer.finishNext()
            return await answer.value
        }
        let reason = "\(RenderFailure.drawing("no ink"))"
        #expect(failed == .failure(.cannotBeDrawn(reason)))
        await scene.finish()
        #expect(try await scene.agent.planTable().rows.map(\.state).filter { $0 != "ready" } == [reason])
        // By now the page is known to fail, so it is not tried again.
        _ = scene.stage.newJobs()
        #expect(await scene.select("2b", 2).value == .failure(.cannotBeDrawn(reason)))
        #expect(scene.stage.newJobs().isEmpty)
        #expect(try scene.stage.library.images.faults().contains { $0.isFinal && $0.image?.page == PageIndex(2) })
    }

    @Test @LoopActor func whatIsNotThereSaysSo() async throws {
        let scene = try await Scene()
        #expect(await scene.select("nothing", 0).value == .failure(.notDownloaded))
        #expect(await scene.select("1a", 5).value == .failure(Trouble(.unknown, "this chart has no \(PageIndex(5))")))
        #expect(await scene.select("1a", -1).value == .failure(Trouble(.unknown, "this chart has no \(PageIndex(-1))")))
        await scene.stage.settle()
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func thePlanLookedAtComesFirst() async throws {
        let scene = try await Scene()
        scene.agent.showing.noteOpen(plan: PlanID("2"))
        await scene.stage.settle()
        let jobs = scene.words(scene.stage.newJobs())
        #expect(jobs.prefix(9) == ["2a.0", "2a.1", "2a.2", "2b.0", "2b.1", "2b.2", "2c.0", "2c.1", "2c.2"])
        #expect(jobs.dropFirst(9).prefix(3) == ["1a.0", "1a.1", "1a.2"])
    }

    @Test @LoopActor func aFullDiskDoesNotKeepAPageFromTheScreen() async throws {
        let scene = try await Scene()
        var isFirst = true
        scene.renderer.verdict = { _ in
            defer { isFirst = false }
            return isFirst ? .failure(.cannotWrite(5)) : .success(PageOutcome())
        }
        let shown = try await scene.stage.clock.run { try await scene.select("1a", 0).value.get() }
        #expect(shown.source == .rendered && shown.bytes.count > 60)
        #expect(scene.stage.cache.present().isEmpty)
    }

    @Test @LoopActor func aStoppedAgentAnswersWhoWaits() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        let answer = scene.select("2a", 0)
        await scene.rest()
        await scene.stage.clock.run { await scene.agent.stop() }
        #expect(await answer.value == .failure(.stopped))
        #expect(await scene.select("2a", 0).value == .failure(.stopped))
    }

    @Test @LoopActor func theLiveLaneIsMadeReadyForWhoLooks() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        _ = try await scene.select("1a", 0).value.get()
        #expect(scene.renderer.warmCount == 0)
        scene.agent.showing.beLookedAt(true)
        _ = try await scene.select("1a", 1).value.get()
        #expect(scene.renderer.warmCount == 2)
    }

    @Test @LoopActor func anImageAskedForByNameIsDrawnUnlessAPageIsSelected() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        let name = try await scene.select("2c", 3).value.get().name
        try scene.stage.cache.remove(name)
        scene.agent.memory.empty()
        scene.renderer.isHeld = true
        let other = try #require(
            scene.stage.cache.present().first { $0.chart == name.chart && $0.page == PageIndex(4) && $0.variant == .plain })
        try scene.stage.cache.remove(other)
        _ = scene.stage.newJobs()
        let image = spawnThrowing { try await scene.agent.showing.image(named: other) }
        await scene.rest()
        let answer = scene.select("2c", 3)
        await scene.rest()
        #expect(scene.words(scene.stage.newJobs()) == ["2c.4", "2c.3"])
        #expect(scene.renderer.running == 1)
        scene.renderer.isHeld = false
        let (shown, second) = try await scene.stage.clock.run {
            scene.renderer.finishNext()
            return (try await answer.value.get(), try await image.value)
        }
        #expect(shown.name == name && second.name == other && second.source == .rendered)
        let gone = try #require(ImageName(folder: name.chart, file: "3-plain-00000000000000000000000000000000.png"))
        await #expect(throws: Trouble.notWanted) { try await scene.agent.showing.image(named: gone) }
        await scene.finish()
    }

    @Test @LoopActor func anImageOfAPlanThatIsOverIsFoundByItsName() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        await scene.stage.wait(for: .seconds(30 * 86_400))
        let chart = try #require(try scene.stage.library.plans.plan(PlanID("1"))?.attachments.last)
        let pages = try await scene.stage.clock.run { try await scene.agent.outlook(of: chart).pages }
        let name = try #require(pages.last?.thumbnail.name)
        try? scene.stage.cache.remove(name)
        let shown = try await scene.stage.clock.run { try await scene.agent.showing.image(named: name) }
        #expect(shown.name == name && shown.source == .rendered)
        await scene.finish()
    }
}
