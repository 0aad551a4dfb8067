public import Platform
public import Watching

/// File events that a test makes up. It lists no files: the subject goes through the folder itself.
@LoopActor
public final class SimulatedFileEvents: ListingEventSource {
    private var handler: (@LoopActor (FileEvent) -> Void)?

    /// Makes a source that sends nothing by itself.
    public nonisolated init() {}

    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        self.handler = handler
    }

    public func stop() {
        handler = nil
    }

    public func takeListing(of root: String) async -> FileListing? { nil }

    /// Delivers an event, if somebody listens.
    public func send(_ event: FileEvent) {
        handler?(event)
    }
}
