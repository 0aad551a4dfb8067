import Platform
import Synchronization

/// The agent that the viewer asks. While an agent restarts there is none, and requests wait for it.
@LoopActor
final class CurrentSource {
    private var source: (any ViewerSource)?
    private nonisolated let held: Mutex<(any ViewerImages)?> = Mutex(nil)
    private let waiters = Waiters()
    private var isOver = true

    nonisolated init() {}

    /// The images that are there, for the server's thread.
    nonisolated var images: (any ViewerImages)? { held.withLock { $0 } }

    /// Whom to ask, as soon as there is somebody; `nil` when there will be nobody.
    func current() async -> (any ViewerSource)? {
        while source == nil, !isOver { await waiters.wait { source != nil || isOver } }
        return source
    }

    /// Has this one asked from now on.
    func set(_ source: any ViewerSource, _ images: any ViewerImages) {
        isOver = false
        self.source = source
        held.withLock { $0 = images }
        waiters.wake()
    }

    /// Has nobody asked until there is another.
    func rest() {
        source = nil
        held.withLock { $0 = nil }
    }

    /// Nobody will come.
    func end() {
        rest()
        isOver = true
        waiters.wake()
    }
}
