import Model
import Platform

/// Who gives way to whom: everything else to a page that was selected, and what is made ahead to a pause.
@LoopActor
final class Precedence {
    private let queue: RenderQueue
    /// Descriptions and comparisons: what else goes on in the background lane.
    private let sideWork: YieldingWork
    /// What is drawn for others than a selection while somebody waits.
    let others = YieldingWork()

    init(queue: RenderQueue, sideWork: YieldingWork) {
        self.queue = queue
        self.sideWork = sideWork
    }

    /// Lets nothing begin in the background for this reason.
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

    /// Cancels all that is drawn but for one image; it comes back by itself.
    func breakOff(except name: ImageName) {
        queue.breakOff(except: name)
        sideWork.breakOff()
        others.breakOff()
    }

    /// What is handed out beside the queue may still wait for a renderer, and would begin in a pause.
    func breakOffSideWork() { sideWork.breakOff() }

    /// Lets through all that waits, to find out by itself that the end has come.
    func end() {
        sideWork.end()
        others.end()
    }
}
