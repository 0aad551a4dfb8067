package import Agent
import Platform
package import Watching

/// Watches one path that other programs may write or remove: the configuration, the token, the control socket.
@LoopActor
final class PathWatch {
    /// Which events to report.
    enum News {
        /// The file was written, replaced or removed.
        case changes
        /// The file was removed, or may have been.
        case loss
    }

    private let path: String
    private let folder: String
    private let news: News
    /// Returns whether the event is fully handled. If it is not, the function is called again.
    private var body: (@LoopActor () -> Bool)?
    private let alarm: Alarm

    /// Editors save in several steps, and removing a folder begins with its files, so events are collected for this long.
    private static let settling = Duration.milliseconds(300)

    init(_ path: String, for news: News, in hub: FileEventHub, clock: any TimeKeeper) {
        (self.path, self.news, alarm) = (path, news, Alarm(clock))
        folder = Folder.parent(of: path)
        hub.subscribe { [weak self] in
            self?.hear($0)
        } end: { [weak self] in
            self?.end()
        }
    }

    /// Calls `body` once for a group of events, and repeatedly until it returns true.
    func follow(_ body: @escaping @LoopActor () -> Bool) { self.body = body }

    private func hear(_ event: FileEvent) {
        let isConcerned =
            switch event {
            case .written(let written): news == .changes && written == path
            case .removed(let removed): removed == path
            case .folderRemoved(let removed), .rescan(let removed): removed == folder
            }
        if isConcerned { look() }
    }

    private func look() {
        alarm.set(in: Self.settling) { [weak self] in
            if self?.body?() == false { self?.look() }
        }
    }

    private func end() {
        alarm.cancel()
        body = nil
    }
}

/// Logs once each: a folder on a network that cannot be watched, and a failure of the watching as a whole.
@LoopActor
final class WatchReport {
    private let log: Log
    private var told: Set<String> = []
    /// The line logged when watching failed altogether. Nil while watching works.
    private var trouble: String?

    init(log: Log) { self.log = log }

    /// Logs changes in the state of the watching.
    func report(_ state: WatchState) {
        guard let reason = state.trouble else {
            if let trouble {
                log.info("folders are being watched again")
                told.remove(trouble)
                self.trouble = nil
            }
            for root in state.scanned {
                warn("\(root) is on a network file system: it is checked once a minute instead of being watched")
            }
            return
        }
        let line = "page images and your mark files are checked only once a minute for changes: \(reason)"
        trouble = line
        warn(line)
    }

    private func warn(_ line: String) {
        if told.insert(line).inserted { log.warning(line) }
    }
}

extension AgentReport.Watching {
    /// Describes the state of the watching. `others` are folders that may be missing, and are then not listed as missing.
    package init(_ state: WatchState, without others: [String]) {
        self.init(
            folders: state.folders, missing: state.missing.filter { !others.contains($0) }, scanned: state.scanned,
            trouble: state.trouble?.description)
    }
}
