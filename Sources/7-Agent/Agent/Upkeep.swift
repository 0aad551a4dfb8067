import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import Platform

/// Starts another look when no event does, and holds the folders of wanted images.
@LoopActor
final class Upkeep {
    /// The reasons for a later look. Each has its own timer: a page without room, which waits long, must not put off a failed look.
    enum Matter {
        /// Anything without an event is found within the hour.
        case hour
        /// A look could not find out what is wanted.
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

    /// Calls `check` and looks once an hour from now on.
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

    /// Looks once at that moment, after calling `body`; never without a moment. For each matter, only the last call counts.
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

    /// Why the last look failed; `nil` if it did not.
    var trouble: String? { failedLooks[.failedLook]?.reason }

    func noteLook(failing reason: String?) {
        guard let reason else { return failedLooks.forget(.failedLook) }
        failedLooks.note(reason, of: .failedLook, at: time.now)
        requestLook(for: .failedLook, at: failedLooks.next(after: time.now))
    }

    // MARK: - Folders

    /// Keeps the folders of a set's images from being removed by programs that remove old files; only the most urgent, if there are very
    /// many.
    func hold(_ set: WantedSet, in cache: PageCache) {
        guard isGoingOn else { return }
        var seen: Set<ChartHash> = []
        // Images that nobody can draw again come first.
        var paths = set.away.keys.map { cache.path(of: $0) }
        for image in set.images where seen.insert(image.inputs.chart).inserted {
            paths.append(Folder.parent(of: cache.path(of: image.name)))
        }
        holds.hold(paths)
    }
}
