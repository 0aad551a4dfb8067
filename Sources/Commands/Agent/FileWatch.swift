import Platform
import Watching

/// Passes on what a source of file events tells, and hears from it of one file that a person writes: the configuration, the token.
@LoopActor
final class FileWatch: ListingEventSource {
    /// Called when the file was written, replaced or removed, once for what comes together.
    var onChange: (@LoopActor () -> Void)?

    private let source: any FileEventSource
    private let file: String
    private let folder: String
    private let clock: any TimeKeeper
    private var timer: TimerID?

    /// Editors write in several steps.
    private static let settling = Duration.milliseconds(300)

    init(_ source: any FileEventSource, file: String, clock: any TimeKeeper) {
        self.source = source
        self.file = file
        self.clock = clock
        folder = Folder.parent(of: file)
    }

    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try source.start { [weak self] event in
            self?.hear(event)
            handler(event)
        }
    }

    func takeListing(of root: String) async -> FileListing? {
        await (source as? any ListingEventSource)?.takeListing(of: root)
    }

    func stop() {
        source.stop()
        if let timer { clock.cancel(timer) }
        timer = nil
    }

    private func hear(_ event: FileEvent) {
        let concernsFile =
            switch event {
            case .written(let path), .removed(let path): path == file
            case .folderRemoved(let path), .rescan(let path): path == folder
            }
        guard concernsFile else { return }
        if let timer { clock.cancel(timer) }
        timer = clock.schedule(at: clock.now + Self.settling) { [weak self] in
            self?.timer = nil
            self?.onChange?()
        }
    }
}
