import Platform
import Watching

/// Tells of what cannot be watched, each of it once.
@LoopActor
final class WatchReport {
    private let log: Log
    private var told: Set<String> = []

    init(log: Log) {
        self.log = log
    }

    /// Takes how the watching stands.
    func tell(_ state: WatchState) {
        guard let trouble = state.trouble else {
            for root in state.scanned {
                warn("\(root) lies on a network file system: it is looked at once a minute instead of being watched")
            }
            return
        }
        warn("what changes in the page cache and in your files of marks is looked for once a minute only: \(trouble)")
    }

    private func warn(_ line: String) {
        if told.insert(line).inserted { log.warning(line) }
    }
}
