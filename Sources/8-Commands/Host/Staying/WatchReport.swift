package import Agent
import Platform
package import Watching

/// Logs what cannot be watched, once each.
@LoopActor
final class WatchReport {
    private let log: Log
    private var told: Set<String> = []
    /// What was logged when nothing could be watched, until something can be.
    private var trouble: String?

    init(log: Log) {
        self.log = log
    }

    /// Logs what is new in the state of the watching.
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
    /// Reports the state of the watching, leaving out folders whose absence does not matter.
    package init(_ state: WatchState, without others: [String]) {
        self.init(
            folders: state.folders, missing: state.missing.filter { !others.contains($0) }, scanned: state.scanned,
            trouble: state.trouble?.description)
    }
}
