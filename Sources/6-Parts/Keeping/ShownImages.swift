public import Model
import Synchronization

/// Counts the images that people are shown: those that were there, and those that were drawn while somebody waited.
///
/// May be used from any thread: browsers are answered beside the loop.
public final class ShownImages: Sendable {
    private struct Counts {
        var hits = 0
        var waits = 0
        /// An image that was waited for and counted, and will be fetched next; that must not count again.
        var isFetchedNext: ImageName?
    }

    private let counts = Mutex(Counts())

    /// Notes that an image that was there was sent to somebody.
    public func noteServed(_ name: ImageName) {
        counts.withLock { counts in
            if counts.isFetchedNext == name {
                counts.isFetchedNext = nil
            } else {
                counts.hits += 1
            }
        }
    }

    /// Notes that a page was opened; its image is fetched by name next.
    package func noteSelected(_ name: ImageName, wasDrawn: Bool) {
        guard wasDrawn else { return }
        counts.withLock { counts in
            counts.waits += 1
            counts.isFetchedNext = name
        }
    }

    /// Notes that an image was sent to somebody who asked for it by its name.
    package func noteSent(_ name: ImageName, wasDrawn: Bool) {
        guard wasDrawn else { return noteServed(name) }
        counts.withLock { $0.waits += 1 }
    }

    /// Hands over what was counted since the last time.
    func take() -> CacheTally {
        counts.withLock { counts in
            var tally = CacheTally()
            (tally.hits, tally.waits) = (counts.hits, counts.waits)
            (counts.hits, counts.waits) = (0, 0)
            return tally
        }
    }
}
