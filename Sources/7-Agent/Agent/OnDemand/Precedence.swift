import Model
import Platform

/// Decides what gives way: everything else to a page that was selected, and work ahead to a pause.
@LoopActor
final class Precedence {
    private let queue: RenderQueue
    /// Descriptions and comparisons: the other work in the background lane.
    private let sideWork: YieldingWork
    /// The images that a screen waits for, other than a selection.
    let others = YieldingWork()

    init(queue: RenderQueue, sideWork: YieldingWork) { (self.queue, self.sideWork) = (queue, sideWork) }

    /// Lets nothing begin in the background until this reason is released.
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

    /// Cancels everything that is being drawn except one image; what was cancelled comes back by itself.
    func breakOff(except name: ImageName) {
        queue.breakOff(except: name)
        sideWork.breakOff()
        others.breakOff()
    }

    /// Breaks off work that reached the renderer without the queue: it may still be waiting there, and would begin during the pause.
    func breakOffSideWork() { sideWork.breakOff() }

    /// Wakes everything that is waiting; each task then sees that the agent is stopping.
    func end() {
        sideWork.end()
        others.end()
    }
}
