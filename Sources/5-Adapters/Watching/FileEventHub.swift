public import Platform

/// Shares one source of file events, of which a process can have only one, among all who want to hear of them.
@LoopActor
public final class FileEventHub: ListingEventSource {
    private struct Subscriber {
        let hear: @LoopActor (FileEvent) -> Void
        let end: @LoopActor () -> Void
    }

    private let source: any ListingEventSource
    private var subscribers: [Subscriber] = []

    /// Shares `source`.
    public init(_ source: any ListingEventSource) {
        self.source = source
    }

    /// Has `hear` called with every event, before the handler given to `start`, and `end` when there will be no more.
    public func subscribe(_ hear: @escaping @LoopActor (FileEvent) -> Void, end: @escaping @LoopActor () -> Void) {
        subscribers.append(Subscriber(hear: hear, end: end))
    }

    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try source.start { [weak self] event in
            for subscriber in self?.subscribers ?? [] { subscriber.hear(event) }
            handler(event)
        }
    }

    public func stop() {
        source.stop()
        for subscriber in subscribers { subscriber.end() }
        subscribers = []
    }

    public func takeListing(of root: String) async -> FileListing? { await source.takeListing(of: root) }
}
