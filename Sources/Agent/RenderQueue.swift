import Freshness
import Model
import Platform

/// What waits to be rendered and what is being rendered.
///
/// The waiting list is replaced as a whole whenever the library or the cache has changed: only what waits is replaced,
/// a running work ends and is published under its own names.
@LoopActor
final class RenderQueue {
    private let width: Int
    private let perform: @Sendable @LoopActor (PageWork) async -> Void
    private var waiting: [PageWork] = []
    private var running: [PageWork] = []
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    private var isStopped = false

    /// Makes a queue that runs `width` works at a time.
    nonisolated init(width: Int, perform: @escaping @Sendable @LoopActor (PageWork) async -> Void) {
        self.width = width
        self.perform = perform
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// Images that wait or run.
    var imageCount: Int { (waiting + running).reduce(0) { $0 + $1.images.count } }

    /// Pages that wait or run.
    var pageCount: Int { waiting.count + running.count }

    /// Replaces what waits, in this order. What is running already is not started again. On the pages `apart` the annotated
    /// image is made by itself.
    func replaceWaiting(with missing: [WantedImage], apart: Set<WantedImage.Page> = []) {
        guard !isStopped else { return }
        let underWay = Set(running.flatMap(\.images).map(\.name))
        waiting = PageWork.group(missing.filter { !underWay.contains($0.name) }, apart: apart)
        startWhatFits()
    }

    /// Waits until nothing waits and nothing runs.
    func idle() async {
        // Looked at inside, since a task may be queued again between a look and the wait.
        await withCheckedContinuation { continuation in
            if isIdle { continuation.resume() } else { idleWaiters.append(continuation) }
        }
    }

    /// Starts nothing any more.
    func stop() {
        isStopped = true
        waiting = []
        wakeIfIdle()
    }

    private func startWhatFits() {
        while running.count < width, let place = waiting.firstIndex(where: mayStart) {
            let work = waiting.remove(at: place)
            running.append(work)
            spawn { [self] in
                await perform(work)
                running.removeAll { $0 == work }
                startWhatFits()
                wakeIfIdle()
            }
        }
    }

    /// For one page at most one render runs; a newer one waits behind it.
    private func mayStart(_ work: PageWork) -> Bool {
        !running.contains { $0.chart == work.chart && $0.page == work.page }
    }

    private func wakeIfIdle() {
        guard isIdle else { return }
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }
}
