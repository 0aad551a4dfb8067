public import Platform

/// A source of news about changed files; tests put a simulated one in its place. It lists its folders while it begins, so that this need
/// not be done a second time.
@LoopActor
public protocol ListingEventSource: AnyObject {
    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError)

    /// Stops the events; none comes after this.
    func stop()

    /// The files of a root when watching it began: with all events since then, they are its present files.
    ///
    /// It can be taken only once; `nil` if there is none, or it is out of date.
    func takeListing(of root: String) async -> FileListing?
}

/// Shares one source of file events, of which a process can have only one, among all parts of the program that need it.
@LoopActor
public final class FileEventHub: ListingEventSource {
    private struct Subscriber {
        let receive: @LoopActor (FileEvent) -> Void
        let end: @LoopActor () -> Void
    }

    private let source: any ListingEventSource
    private var subscribers: [Subscriber] = []

    public init(_ source: any ListingEventSource) { self.source = source }

    /// Calls `receive` with every event after the start, and `end` when there will be no more; earlier subscribers are called first.
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
