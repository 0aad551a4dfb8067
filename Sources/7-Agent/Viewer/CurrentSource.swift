import Platform
import Synchronization

/// The agent that the viewer asks. While an agent restarts there is none, and requests wait.
@LoopActor
final class CurrentSource {
    private var source: (any ViewerSource)?
    private nonisolated let held: Mutex<(any ViewerImages)?> = Mutex(nil)
    private let waiters = Waiters()
    private var isOver = true

    nonisolated init() {}

    /// The images that are there, for the server's thread.
    nonisolated var images: (any ViewerImages)? { held.withLock { $0 } }

    /// The source to ask, as soon as there is one; `nil` if there will be none.
    func current() async -> (any ViewerSource)? {
        while source == nil, !isOver { await waiters.wait { source != nil || isOver } }
        return source
    }

    /// Uses this source from now on.
    func set(_ source: any ViewerSource, _ images: any ViewerImages) {
        isOver = false
        self.source = source
        held.withLock { $0 = images }
        waiters.wake()
    }

    /// Uses no source until there is another.
    func rest() {
        source = nil
        held.withLock { $0 = nil }
    }

    /// Ends the waiting: no other source will come.
    func end() {
        rest()
        isOver = true
        waiters.wake()
    }
}
