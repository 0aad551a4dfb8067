public import Platform

/// A source of events about changed files; tests use a simulated one. The source lists its folders when it starts watching them, so
/// that they need not be listed a second time.
@LoopActor
public protocol ListingEventSource: AnyObject {
    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError)

    /// Stops the events. The handler is not called afterwards.
    func stop()

    /// The files of a root when watching began. This listing and all later events together give the present files.
    ///
    /// Each listing can be taken only once. The result is `nil` if there is no listing, or if it is out of date.
    func takeListing(of root: String) async -> FileListing?
}

/// Shares one source of file events among all parts of the program, since a process can have only one source.
@LoopActor
public final class FileEventHub: ListingEventSource {
    private struct Subscriber {
        let receive: @LoopActor (FileEvent) -> Void
        let end: @LoopActor () -> Void
    }

    private let source: any ListingEventSource
    private var subscribers: [Subscriber] = []

    public init(_ source: any ListingEventSource) { self.source = source }

    /// Calls `receive` with every event from now on, and `end` when the source stops. Earlier subscribers are called first.
    public func subscribe(_ receive: @escaping @LoopActor (FileEvent) -> Void, end: @escaping @LoopActor () -> Void = {}) {
        subscribers.append(Subscriber(receive: receive, end: end))
    }

    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try source.start { [weak self] event in
            for subscriber in self?.subscribers ?? [] { subscriber.receive(event) }
        }
        subscribe(handler)
    }

    public func stop() {
        source.stop()
        for subscriber in subscribers { subscriber.end() }
        subscribers = []
    }

    public func takeListing(of root: String) async -> FileListing? { await source.takeListing(of: root) }
}
