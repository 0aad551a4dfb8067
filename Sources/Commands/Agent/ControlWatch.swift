import Platform
import Watching

/// Passes on what a source of file events tells, and hears from it when the control socket is removed, or its folder.
@LoopActor
final class ControlWatch: ListingEventSource {
    /// Called when the socket may be gone, once for what comes together; until it answers that all is well.
    var onLoss: (@LoopActor () -> Bool)?

    private let source: any ListingEventSource
    private let socket: String
    private let folder: String
    private let clock: any TimeKeeper
    private var timer: TimerID?

    /// Whoever removes the folder first removes what is in it.
    private static let settling = Duration.milliseconds(300)

    init(_ source: any ListingEventSource, socket: String, clock: any TimeKeeper) {
        self.source = source
        self.socket = socket
        self.clock = clock
        folder = Folder.parent(of: socket)
    }

    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try source.start { [weak self] event in
            self?.hear(event)
            handler(event)
        }
    }

    func takeListing(of root: String) async -> FileListing? { await source.takeListing(of: root) }

    func stop() {
        source.stop()
        if let timer { clock.cancel(timer) }
        timer = nil
        onLoss = nil
    }

    private func hear(_ event: FileEvent) {
        switch event {
        case .written: break
        case .removed(let path): if path == socket { look() }
        case .folderRemoved(let path), .rescan(let path): if path == folder { look() }
        }
    }

    private func look() {
        if let timer { clock.cancel(timer) }
        timer = clock.schedule(at: clock.now + Self.settling) { [weak self] in
            guard let self else { return }
            timer = nil
            if onLoss?() == false { look() }
        }
    }
}
