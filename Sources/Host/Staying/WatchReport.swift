package import Agent
import Platform
package import Watching

/// Tells of what cannot be watched, each of it once.
@LoopActor
final class WatchReport {
    private let log: Log
    private var told: Set<String> = []
    /// What was told of nothing being watched, until something is.
    private var trouble: String?

    init(log: Log) {
        self.log = log
    }

    /// Takes how the watching stands.
    func tell(_ state: WatchState) {
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
        let line = "the page cache and your mark files are checked only once a minute for changes: \(reason)"
        trouble = line
        warn(line)
    }

    private func warn(_ line: String) {
        if told.insert(line).inserted { log.warning(line) }
    }
}

extension AgentReport.Watching {
    /// Takes how the watching stands, and leaves out folders whose absence is nobody's concern.
    package init(_ state: WatchState, without others: [String]) {
        self.init(
            folders: state.folders, missing: state.missing.filter { !others.contains($0) }, scanned: state.scanned,
            trouble: state.trouble?.description)
    }
}
