import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import Platform

/// Starts reconcile runs that no event starts, and holds the folders of wanted images.
@LoopActor
final class Upkeep {
    /// The reasons for a later run. Each has its own timer: an image that waits long for space must not delay the retry of a failed run.
    enum Matter {
        /// The hourly run, which finds changes that caused no event.
        case hour
        /// A run could not determine the wanted images.
        case failedLook
        /// An image could not be made.
        case failedImage
        /// Charts that could not be counted or drawn may be tried again.
        case rest
    }

    private let time: any TimeKeeper
    private let look: LookRequests
    private let holds = FolderHolds()
    private var alarms: [Matter: Alarm] = [:]
    private var failedLooks = Retries<Matter, String>()
    private var isGoingOn = false

    init(_ time: any TimeKeeper, _ look: LookRequests) { (self.time, self.look) = (time, look) }

    /// From now on, calls `check` and reconciles once an hour.
    func begin(_ check: @escaping @LoopActor () -> Void) {
        isGoingOn = true
        requestLook(for: .hour, at: time.now + .seconds(3600)) { [weak self] in
            self?.begin(check)
            check()
        }
    }

    func end() {
        isGoingOn = false
        for alarm in alarms.values { alarm.cancel() }
        holds.hold([])
    }

    /// Reconciles once at `moment`, after calling `body`. With `nil`, cancels the planned run. Of several calls for one matter,
    /// only the last counts.
    func requestLook(for matter: Matter, at moment: Moment?, _ body: @escaping @LoopActor () -> Void = {}) {
        let alarm = alarms[matter] ?? Alarm(time)
        alarms[matter] = alarm
        alarm.cancel()
        guard isGoingOn, let moment else { return }
        alarm.set(at: moment) { [look] in
            body()
            look.soon()
        }
    }

    // MARK: - Looks

    /// Why the last run failed; `nil` if it succeeded.
    var trouble: String? { failedLooks[.failedLook]?.reason }

    func noteLook(failing reason: String?) {
        guard let reason else { return failedLooks.forget(.failedLook) }
        failedLooks.note(reason, of: .failedLook, at: time.now)
        requestLook(for: .failedLook, at: failedLooks.next(after: time.now))
    }

    // MARK: - Folders

    /// Protects the folders of a set's images from programs that remove old files; if there are very many, only the most urgent folders.
    func hold(_ set: WantedSet, in cache: PageCache) {
        guard isGoingOn else { return }
        var seen: Set<ChartHash> = []
        // Images that cannot be drawn again come first.
        var paths = set.away.keys.map { cache.path(of: $0) }
        for image in set.images where seen.insert(image.inputs.chart).inserted {
            paths.append(Folder.parent(of: cache.path(of: image.name)))
        }
        holds.hold(paths)
    }
}
