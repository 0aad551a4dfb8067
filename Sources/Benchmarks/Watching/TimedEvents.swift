import Platform
import Watching

/// The watcher as the agent has it, with a look at what it tells.
@LoopActor
final class TimedEvents: ListingEventSource {
    let watcher: FolderWatcher
    /// What a file's writing is awaited with.
    private var awaited: [String: Arrival] = [:]

    init(_ watcher: FolderWatcher) {
        self.watcher = watcher
    }

    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try watcher.start { [weak self] event in
            if case .written(let path) = event { self?.awaited.removeValue(forKey: path)?.come() }
            handler(event)
        }
    }

    func stop() { watcher.stop() }

    func takeListing(of root: String) async -> FileListing? { await watcher.takeListing(of: root) }

    /// Notes the next writing of a file.
    func expect(_ path: String, by arrival: Arrival) { awaited[path] = arrival }
}
