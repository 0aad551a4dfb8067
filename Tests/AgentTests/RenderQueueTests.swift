import Freshness
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

@Suite(.onLoop, .timeLimit(.minutes(5)))
struct RenderQueueTests {
    /// Works that end when the test says so.
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

        /// Ends the work that has run longest; `false` when none runs.
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

    /// Lets the loop run until nothing is ready.
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
}
