import Freshness
import Model
import PageCache
import Platform

/// What happens while an agent has nothing to do, so that the cache stays as it should be.
@LoopActor
final class Upkeep {
    /// Why something is tried again. Each reason has its own timer: a page without room, which waits long, must not put off a failed
    /// look.
    enum RetryReason {
        /// It was not possible to find out what is wanted.
        case failedLook
        /// An image could not be made.
        case failedImage
    }

    private let holds = FolderHolds()
    private var timer: TimerID?
    private var retries: [RetryReason: TimerID] = [:]
    private var counting: TimerID?
    private var isGoingOn = false

    /// Whatever is not reported by an event is found out within this time.
    private static let rhythm: Duration = .seconds(3600)

    /// Calls `reconcile` from now on, once an hour.
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

    /// Calls `reconcile` once after `delay`, since what failed may work by then. For each reason, only the last call counts.
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

    /// Calls `reconcile` when charts that could not be counted or drawn may be tried again; never without a moment. Only the last call
    /// counts.
    func count(at moment: Moment?, _ time: any TimeKeeper, _ reconcile: @escaping @LoopActor () -> Void) {
        if let counting { time.cancel(counting) }
        counting = nil
        guard isGoingOn, let moment else { return }
        counting = time.schedule(at: moment) { [weak self] in
            self?.counting = nil
            reconcile()
        }
    }

    /// Keeps the folders of a set's images from being removed by programs that remove old files; only the most urgent, if there are very
    /// many.
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
