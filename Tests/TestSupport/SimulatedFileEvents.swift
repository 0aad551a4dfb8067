public import Platform

/// File events that a test makes up.
@LoopActor
public final class SimulatedFileEvents: FileEventSource {
    private var handler: (@LoopActor (FileEvent) -> Void)?

    /// Makes a source that says nothing by itself.
    public nonisolated init() {}

    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        self.handler = handler
    }

    public func stop() {
        handler = nil
    }

    /// Delivers an event, if somebody listens.
    public func send(_ event: FileEvent) {
        handler?(event)
    }
}
