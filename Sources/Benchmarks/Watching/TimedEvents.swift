import Platform
import Watching

/// The agent's watcher, with a record of when it reports files.
@LoopActor
final class TimedEvents: ListingEventSource {
    let watcher: FolderWatcher
    /// The files whose writing is waited for.
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

    /// Notes when a file is next written.
    func expect(_ path: String, by arrival: Arrival) { awaited[path] = arrival }
}
