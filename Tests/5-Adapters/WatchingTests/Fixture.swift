import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

/// A cache in a temporary folder, its watcher, and the watcher's events.
@LoopActor
final class Fixture {
    let home = TemporaryFolder()
    let watcher: FolderWatcher
    private(set) var events: [FileEvent] = []
    private(set) var states: [WatchState] = []
    var onEvent: (@LoopActor (FileEvent) -> Void)?

    var cache: String { home.path("cache") }
    var pages: String { cache + "/pages" }

    init(
        charts: [String] = [], isThere: Bool = true, clock: any TimeKeeper = SystemClock(), spacing: Duration = .milliseconds(1),
        roots: (String) -> [WatchedRoot] = { [.pageCache($0)] }
    ) throws {
        watcher = FolderWatcher(roots(home.path("cache")), clock: clock, spacing: spacing)
        if isThere { try Folder.create(cache + "/pages") }
        for chart in charts { try Folder.create(pages + "/" + chart) }
        watcher.setListener { [weak self] in self?.states.append($0) }
    }

    /// Starts the watcher. A user has few inotify instances, and a process few low descriptors: other programs or other tests may
    /// use up all of them for a moment.
    func start() async throws {
        try await waitUntil {
            try watcher.start { [weak self] event in
                self?.events.append(event)
                self?.onEvent?(event)
            }
            switch watcher.state.trouble {
            case .instances, .descriptors: return false
            case .watches, .system, nil: return true
            }
        }
    }

    func forget() { events = [] }

    /// Waits until this event is reported.
    func received(_ event: FileEvent, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await waitUntil({ self.events.contains(event) }, sourceLocation: sourceLocation)
    }

    /// Removes a file and waits for its event: by then, all earlier changes have been reported as well.
    func passMarker(in folder: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let marker = folder + "/marker"
        try put(marker)
        unlink(marker)
        try await received(.removed(marker), sourceLocation: sourceLocation)
        events.removeAll { $0 == .removed(marker) }
    }

    nonisolated func put(_ path: String) throws {
        _ = try Descriptor.open(path, O_WRONLY | O_CREAT)
    }
}
