public import Platform

/// A source of events about changed files; tests use a simulated one. It lists its folders when it starts watching them, so that
/// nobody needs to list them a second time.
@LoopActor
public protocol ListingEventSource: AnyObject {
    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError)

    /// Stops the events; the handler is not called afterwards.
    func stop()

    /// The files of a root when watching began: this listing and all later events together give the present files.
    ///
    /// Each listing can be taken only once; `nil` if there is none or if it is out of date.
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

    /// Calls `receive` with every event after the start, and `end` after the last one; earlier subscribers are called first.
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
