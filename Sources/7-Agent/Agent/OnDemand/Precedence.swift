import Model
import Platform

/// Decides which work gives way. All other work gives way to a selected page, and work ahead gives way to a pause.
@LoopActor
final class Precedence {
    private let queue: RenderQueue
    /// The renderer's background work outside `queue`: describing, testing and comparing charts, and making plans' PDFs.
    private let sideWork: YieldingWork
    /// Work on images that a screen waits for without selecting them.
    let others = YieldingWork()

    init(queue: RenderQueue, sideWork: YieldingWork) { (self.queue, self.sideWork) = (queue, sideWork) }

    /// Keeps background work from starting until this reason is released. A selection also holds back `others`.
    func hold(_ reason: YieldingWork.Hold) {
        queue.hold(reason)
        sideWork.hold(reason)
        if reason == .selection { others.hold(reason) }
    }

    func release(_ reason: YieldingWork.Hold) {
        others.release(reason)
        sideWork.release(reason)
        queue.release(reason)
    }

    /// Cancels all drawing except of one image; the cancelled work is repeated later.
    func breakOff(except name: ImageName) {
        queue.breakOff(except: name)
        sideWork.breakOff()
        others.breakOff()
    }

    /// Cancels work that reaches the renderer without the queue. Such work may still wait in the renderer, and would start during
    /// the pause.
    func breakOffSideWork() { sideWork.breakOff() }

    /// Wakes all waiting tasks; each of them then finds that the agent is stopping.
    func end() {
        sideWork.end()
        others.end()
    }
}
