import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// Pages that are selected while everything else waits to be rendered, on a simulated clock and renderer.
@Suite(.onLoop, .timeLimit(.minutes(15)))
struct SelectionTests {
    /// Two Sundays, three charts of five pages each; nothing is rendered yet, and two jobs run and are held.
    @LoopActor
    private final class Scene {
        static let plans = ["2026-11-22", "2026-11-29"].enumerated().map { number, day in
            SmallService.Plan(
                id: "\(number + 1)", startsAt: day + "T10:00:00Z",
                charts: ["a", "b", "c"].map {
                    SmallService.Chart(
                        id: "\(number + 1)\($0)", name: "Song \(number + 1)\($0)", bytes: SmallService.pdf("\(number + 1)\($0)"))
                })
        }

        /// What names the bytes of a chart that is made of this text.
        static func folder(of text: String) -> ImageFolder { ImageFolder(of: ChartHash(SHA256.digest(of: SmallService.pdf(text)))) }

        let stage: Stage
        var agent: Agent { stage.agent }
        var renderer: SimulatedRenderer { stage.renderer }

        init(layers: [String] = []) async throws {
            stage = try Stage(Self.plans)
            stage.service.layers["1"] = layers
            stage.renderer.describe = { _ in
                .success(ChartDescription(pages: Array(repeating: PageGeometry(width: 612, height: 792), count: 5)))
            }
            // Everything is here but the images.
            stage.renderer.verdict = { _ in .failure(.stopped) }
            await stage.sync()
            _ = stage.newJobs()
            stage.renderer.verdict = { _ in .success(PageOutcome()) }
        }

        /// Queues all images; two of them are begun and do not end by themselves.
        func beginAll() async {
            renderer.isHeld = true
            agent.reconcile()
            await until { renderer.running == 2 }
            _ = stage.newJobs()
        }

        func select(_ chart: String, _ page: Int, isMarked: Bool = true) -> Task<Result<ShownPage, ShowFailure>, Never> {
            spawn { [agent] in
                do throws(ShowFailure) {
                    return .success(try await agent.select(chart: AttachmentID(chart), page: PageIndex(page), isMarked: isMarked))
                } catch {
                    return .failure(error)
                }
            }
        }

        func until(_ isSo: () -> Bool) async {
            while !isSo() { await Task.yield() }
        }

        /// Lets all that can run without time passing do so.
        func rest() async {
            for _ in 0..<200 { await Task.yield() }
        }

        func finish() async {
            renderer.isHeld = false
            while renderer.finishNext() {}
            await stage.settleAsTold()
        }

        func path(_ chart: String) -> String { stage.library.path(of: ChartHash(SHA256.digest(of: SmallService.pdf(chart)))) }

        func words(_ jobs: [PageJob]) -> [String] {
            let names = Dictionary(uniqueKeysWithValues: Self.plans.flatMap(\.charts).map { (path($0.id), $0.id) })
            return jobs.map { "\(names[$0.chart] ?? "-").\($0.page.value)" }
        }
    }

    @Test @LoopActor func aSelectedPageIsDrawnAloneAndTheNextTwoComeRightAfterIt() async throws {
        let scene = try await Scene()
        await scene.beginAll()
        let answer = scene.select("2b", 1)
        await scene.until { scene.renderer.lanes.last == .live }
        await scene.rest()
        // What ran is broken off, and nothing else has begun.
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
        // The thumbnail of the page itself, the next two, then what was broken off.
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
        var answers: [Task<Result<ShownPage, ShowFailure>, Never>] = []
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
        #expect(try await scene.agent.planTable().rows.filter { $0.state != .ready }.map(\.state) == [.failed(reason)])
        // It is known by now.
        _ = scene.stage.newJobs()
        #expect(await scene.select("2b", 2).value == .failure(.cannotBeDrawn(reason)))
        #expect(scene.stage.newJobs().isEmpty)
        #expect(try scene.stage.library.faults().contains { $0.isFinal && $0.image?.page == PageIndex(2) })
    }

    @Test @LoopActor func whatIsNotThereSaysSo() async throws {
        let scene = try await Scene()
        #expect(await scene.select("nothing", 0).value == .failure(.notDownloaded))
        #expect(await scene.select("1a", 5).value == .failure(.noSuchPage(PageIndex(5))))
        #expect(await scene.select("1a", -1).value == .failure(.noSuchPage(PageIndex(-1))))
        await scene.stage.settle()
        #expect(try await scene.agent.planTable().isComplete)
    }

    @Test @LoopActor func thePlanLookedAtComesFirst() async throws {
        let scene = try await Scene()
        scene.agent.lookAt(plan: PlanID("2"))
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
        scene.agent.isBeingLookedAt = true
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
        let image = spawnThrowing { try await scene.agent.image(named: other) }
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
        await #expect(throws: ShowFailure.notWanted) { try await scene.agent.image(named: gone) }
        await scene.finish()
    }

    @Test @LoopActor func aLargerPageIsDrawnButNotKept() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        let present = scene.stage.cache.present()
        scene.renderer.isHeld = true
        _ = scene.stage.newJobs()
        let ask = { (page: Int, viewer: String, longSide: Int) in
            spawn { () -> Result<ShownPage, ShowFailure> in
                do throws(ShowFailure) {
                    return .success(
                        try await scene.agent.live(
                            chart: AttachmentID("1a"), in: Scene.folder(of: "1a"), page: PageIndex(page), isMarked: true,
                            longSide: longSide,
                            for: viewer))
                } catch {
                    return .failure(error)
                }
            }
        }
        // Two former pages give way to two that came after them, each to one.
        let former = [ask(2, "tablet", 6000), ask(3, "tablet", 6000)]
        let first = ask(0, "tablet", 5000)
        await scene.rest()
        let (second, third) = (ask(1, "tablet", 6000), ask(2, "phone", 6000))
        await scene.rest()
        for former in former { #expect(await former.value == .failure(.superseded)) }
        // Another size of the one leaves the other, which is beside it.
        let larger = ask(0, "tablet", 6000)
        await scene.rest()
        #expect(await first.value == .failure(.superseded))
        scene.renderer.isHeld = false
        let shown = await scene.stage.clock.run {
            scene.renderer.finishNext()
            return (await second.value, await third.value, await larger.value)
        }
        let pages = try [shown.0, shown.1, shown.2].map { try $0.get().name.page.value }
        #expect(pages == [1, 2, 0])
        #expect(scene.stage.newJobs().allSatisfy { $0.settings.fullSize >= 5000 })
        #expect(scene.stage.cache.present() == present)
    }
    /// What stood on the screen is not what the library has now.
    @Test @LoopActor func aLargerPageIsOfTheBytesThatAreNamed() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        scene.stage.service.plans[0].charts[0] = SmallService.Chart(
            id: "1a", name: "Song 1a", bytes: SmallService.pdf("new"), updatedAt: "2026-11-02T10:00:00Z")
        await scene.stage.sync()
        let ask = { (text: String, page: Int) in
            spawn { () -> Result<ShownPage, ShowFailure> in
                do throws(ShowFailure) {
                    return .success(
                        try await scene.agent.live(
                            chart: AttachmentID("1a"), in: Scene.folder(of: text), page: PageIndex(page), isMarked: true, longSide: 5000))
                } catch {
                    return .failure(error)
                }
            }
        }
        let former = await scene.stage.clock.run { await ask("1a", 0).value }
        #expect(former == .failure(.notWanted))
        // The new one need not have as many pages.
        let last = await scene.stage.clock.run { await ask("1a", 9).value }
        #expect(last == .failure(.notWanted))
        let new = await scene.stage.clock.run { await ask("new", 0).value }
        #expect(try new.get().name.folder == Scene.folder(of: "new"))
    }
}
