import Freshness
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

@Suite(.onLoop)
struct RenderQueueTests {
    /// Jobs that end when the test decides.
    @LoopActor
    private final class Workshop {
        private(set) var started: [PageWork] = []
        private(set) var mostAtOnce = 0
        private var running: [(work: PageWork, continuation: CheckedContinuation<Void, Never>)] = []

        func perform(_ work: PageWork) async {
            started.append(work)
            await withCheckedContinuation { continuation in
                running.append((work, continuation))
                mostAtOnce = max(mostAtOnce, running.count)
            }
        }

        /// Ends the job that has run longest; `false` when none runs.
        func finishOne() -> Bool {
            guard !running.isEmpty else { return false }
            running.removeFirst().continuation.resume()
            return true
        }
    }

    private func image(_ chart: String, _ page: Int, _ variant: Variant = .plain, marks: String? = nil, rank: Int = 0) -> WantedImage {
        WantedImage(
            ImageInputs(
                renderer: RendererIdentity(tag: RendererTag("t"), fonts: FontSet(SHA256.digest(of: "fonts"))),
                chart: ChartHash(SHA256.digest(of: chart)), chartNeedsFonts: false,
                page: PageIndex(page), variant: variant,
                settings: RenderSettings(),
                marks: marks.map { MarkDigest(SHA256.digest(of: $0)) }),
            priority: RenderPriority(planRank: rank, chartPlace: 0, page: PageIndex(page), variant: variant))
    }

    /// Ends the jobs one after the other, each when the loop has nothing else to do, until the queue is idle.
    @LoopActor
    private func drain(_ workshop: Workshop, _ queue: RenderQueue) async {
        let feeder = Loop.shared.whenQuiet { workshop.finishOne() }
        await queue.idle()
        Loop.shared.removeQuietHandler(feeder)
    }

    @Test @LoopActor func runsEverythingInOrderAndNeverMoreThanItsWidth() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 2) { await workshop.perform($0) }
        let images = (0..<6).map { image("c", $0) }
        queue.replaceWaiting(with: images)
        await drain(workshop, queue)
        #expect(workshop.started.map(\.page.value) == [0, 1, 2, 3, 4, 5])
        #expect(workshop.mostAtOnce == 2)
    }

    @Test @LoopActor func whatRunsIsNotStartedAgain() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.replaceWaiting(with: [image("c", 0), image("c", 1)])
        queue.replaceWaiting(with: [image("c", 0), image("c", 1)])
        await drain(workshop, queue)
        #expect(workshop.started.map(\.page.value) == [0, 1])
    }

    @Test @LoopActor func newerListReplacesWhatWaitsAndLetsRunningEnd() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.replaceWaiting(with: [image("old", 0), image("old", 1), image("old", 2)])
        queue.replaceWaiting(with: [image("new", 7)])
        await drain(workshop, queue)
        #expect(workshop.started.map(\.page.value) == [0, 7])
    }

    @Test @LoopActor func onePageIsRenderedOnceAtATimeAndItsNewestStateLast() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 4) { await workshop.perform($0) }
        queue.replaceWaiting(with: [image("c", 0, .annotated, marks: "first")])
        queue.replaceWaiting(with: [image("c", 0, .annotated, marks: "second")])
        queue.replaceWaiting(with: [image("c", 0, .annotated, marks: "third")])
        await drain(workshop, queue)
        #expect(workshop.started.map(\.marks) == [MarkDigest(SHA256.digest(of: "first")), MarkDigest(SHA256.digest(of: "third"))])
        #expect(workshop.mostAtOnce == 1)
    }

    @Test @LoopActor func stoppedQueueStartsNothing() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.stop()
        queue.replaceWaiting(with: [image("c", 0)])
        await drain(workshop, queue)
        #expect(workshop.started.isEmpty)
    }

    @Test @LoopActor func whatIsHeldWaitsForEveryReasonToPass() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.hold(.pause)
        queue.hold(.selection)
        queue.replaceWaiting(with: [image("c", 0)])
        queue.release(.selection)
        #expect(queue.runningPages.count == 0 && queue.pageCount == 1)
        queue.release(.pause)
        #expect(queue.runningPages.count == 1)
        await drain(workshop, queue)
    }

    @Test @LoopActor func whatIsBrokenOffGoesBackToItsPlace() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 2) { await workshop.perform($0) }
        queue.replaceWaiting(with: (0..<4).map { image("c", $0) })
        let kept = image("c", 1).name
        queue.hold(.selection)
        queue.breakOff(except: kept)
        #expect(queue.task(making: image("c", 0).name) == nil && queue.task(making: kept) != nil)
        // Both jobs end; the aborted one is queued again.
        while workshop.started.count < 2 { await Task.yield() }
        while workshop.finishOne() {}
        while queue.runningPages.count > 0 { await Task.yield() }
        #expect(queue.pageCount == 3)
        queue.attend(toScreen: image("c", 3).page, next: [])
        queue.release(.selection)
        await drain(workshop, queue)
        #expect(workshop.started.map(\.page.value) == [0, 1, 3, 0, 2])
    }

    @Test @LoopActor func aNewerListSaysWhetherWhatWasBrokenOffIsStillDue() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.replaceWaiting(with: [image("c", 0)])
        while workshop.started.isEmpty { await Task.yield() }
        queue.breakOff()
        queue.replaceWaiting(with: [image("c", 0), image("d", 0)])
        await drain(workshop, queue)
        #expect(workshop.started.map(\.chart) == ["c", "c", "d"].map { ChartHash(SHA256.digest(of: $0)) })
        queue.replaceWaiting(with: [image("c", 0)])
        while workshop.started.count < 4 { await Task.yield() }
        queue.breakOff()
        queue.replaceWaiting(with: [])
        await drain(workshop, queue)
        #expect(workshop.started.count == 4)
    }

    @Test @LoopActor func whatWaitsIsCountedByItsReason() async {
        let workshop = Workshop()
        let queue = RenderQueue(width: 1) { await workshop.perform($0) }
        queue.hold(.pause)
        let (next, later) = ((0..<6).map { image("next", $0) }, (0..<2).map { image("later", $0, rank: 1) })
        queue.replaceWaiting(with: next + later + [image("next", 5, .thumbnail)])
        func lanes() -> [String] { queue.lanes.map { "\($0.name): \($0.pages), \($0.images)" } }
        #expect(lanes() == ["next plan: 6, 7", "later plans: 2, 2"])
        func page(_ image: WantedImage) -> WantedImage.Page { image.page }
        queue.attend(toScreen: page(next[3]), next: [page(next[4]), page(next[5])])
        queue.attend(to: [later[0].inputs.chart])
        #expect(lanes() == ["page on screen: 1, 1", "next pages: 2, 3", "plan on screen: 2, 2", "next plan: 3, 3"])
        queue.release(.pause)
        #expect(lanes() == ["next pages: 2, 3", "plan on screen: 2, 2", "next plan: 3, 3"], "what runs does not wait")
        await drain(workshop, queue)
        #expect(lanes() == [])
    }
}
