import Freshness
import Model
import PageCache
import Platform

/// What goes on while an agent has nothing to do, so that the cache stays as it should be.
@LoopActor
final class Upkeep {
    /// Why something is to be tried again. A page that found no room, which waits for long, must not put off a look that failed.
    enum RetryReason {
        /// What is wanted could not be found out.
        case failedLook
        /// An image could not be made.
        case failedImage
    }

    private let holds = FolderHolds()
    private var timer: TimerID?
    private var retries: [RetryReason: TimerID] = [:]
    private var counting: TimerID?
    private var isGoingOn = false

    /// Whatever no event tells is found out within this time.
    private static let rhythm: Duration = .seconds(3600)

    /// Calls `reconcile` at a slow pace from now on.
    func begin(_ time: any TimeKeeper, _ reconcile: @escaping @LoopActor () -> Void) {
        isGoingOn = true
        timer = time.schedule(at: time.now + Self.rhythm) { [weak self] in
            guard let self, isGoingOn else { return }
            begin(time, reconcile)
            reconcile()
        }
    }

    func end(_ time: any TimeKeeper) {
        isGoingOn = false
        for timer in [timer, counting].compactMap({ $0 }) + retries.values { time.cancel(timer) }
        (timer, retries, counting) = (nil, [:], nil)
        holds.hold([])
    }

    /// Calls `reconcile` once after some time, for something that may have passed by then. For each reason the last call counts.
    func tryAgain(
        _ reason: RetryReason, after delay: Duration, _ time: any TimeKeeper, _ reconcile: @escaping @LoopActor () -> Void
    ) {
        guard isGoingOn else { return }
        if let timer = retries[reason] { time.cancel(timer) }
        retries[reason] = time.schedule(at: time.now + delay) { [weak self] in
            self?.retries[reason] = nil
            reconcile()
        }
    }

    /// Calls `reconcile` at a moment when charts may be counted or tried that could not be; at none without one. The last call counts.
    func count(at moment: Moment?, _ time: any TimeKeeper, _ reconcile: @escaping @LoopActor () -> Void) {
        if let counting { time.cancel(counting) }
        counting = nil
        guard isGoingOn, let moment else { return }
        counting = time.schedule(at: moment) { [weak self] in
            self?.counting = nil
            reconcile()
        }
    }

    /// Holds the folders of a set's images against whoever removes old files; the most urgent ones, if there are very many.
    func hold(_ set: WantedSet, in cache: PageCache) {
        guard isGoingOn else { return }
        var seen: Set<ChartHash> = []
        var paths: [String] = []
        for image in set.images where seen.insert(image.inputs.chart).inserted {
            paths.append(Folder.parent(of: cache.path(of: image.name)))
        }
        holds.hold(paths)
    }
}
