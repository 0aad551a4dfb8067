public import Platform
public import Watching

/// File events sent by a test. The source lists no files, so the subject scans the folder itself.
@LoopActor
public final class SimulatedFileEvents: ListingEventSource {
    private var handler: (@LoopActor (FileEvent) -> Void)?

    /// Creates a source that sends no events by itself.
    public nonisolated init() {}

    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        self.handler = handler
    }

    public func stop() {
        handler = nil
    }

    public func takeListing(of root: String) async -> FileListing? { nil }

    /// Delivers an event to the subject, if it has started the source.
    public func send(_ event: FileEvent) {
        handler?(event)
    }
}
