import CShims
import Glibc

/// The events that a descriptor is watched for, or is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading will not block, or the peer has closed.
    public static let read = Readiness(rawValue: UInt32(WOODSHED_EPOLL_IN))
    /// Writing will not block, or there is an error.
    public static let write = Readiness(rawValue: UInt32(WOODSHED_EPOLL_OUT))
    /// An exceptional condition, such as a report from the kernel's pressure files. Errors come as `read` and `write`.
    public static let priority = Readiness(rawValue: UInt32(WOODSHED_EPOLL_PRI))
}

/// The descriptors that the loop watches.
final class LoopDescriptors: Sendable {
    let epoll = woodshed_epoll_create()
    @LoopActor private var watches: [UInt64: Watch] = [:]
    private static let mostEvents: Int32 = 64
    @LoopActor private var events = [woodshed_epoll_event](repeating: woodshed_epoll_event(), count: Int(mostEvents))
    @LoopActor private var nextToken: UInt64 = 1

    private struct Watch {
        let descriptor: Int32
        let handler: @LoopActor (Readiness) -> Void
    }

    /// The token of the loop's wake-up and timer descriptors, which only end the loop's sleep and have no handler.
    private static let own: UInt64 = 0

    func watchPermanently(_ descriptor: Int32) {
        // Edge-triggered, because nobody reads these descriptors: otherwise, they would stay ready and keep the loop from sleeping.
        let edgeTriggered: UInt32 = 1 << 31
        _ = woodshed_epoll_add(epoll, descriptor, Readiness.read.rawValue | edgeTriggered, Self.own)
    }

    @LoopActor
    func watch(
        _ descriptor: Int32, for interest: Readiness, _ handler: @escaping @LoopActor (Readiness) -> Void
    ) throws(SystemError) -> DescriptorWatch {
        let token = nextToken
        nextToken += 1
        guard woodshed_epoll_add(epoll, descriptor, interest.rawValue, token) == 0 else {
            throw SystemError("watch descriptor")
        }
        watches[token] = Watch(descriptor: descriptor, handler: handler)
        return DescriptorWatch(token: token)
    }

    @LoopActor
    func change(_ watch: DescriptorWatch, to interest: Readiness) {
        guard let entry = watches[watch.token] else { return }
        _ = woodshed_epoll_change(epoll, entry.descriptor, interest.rawValue, watch.token)
    }

    @LoopActor
    func cancel(_ watch: DescriptorWatch) {
        guard let entry = watches.removeValue(forKey: watch.token) else { return }
        _ = woodshed_epoll_remove(epoll, entry.descriptor)
    }

    /// Handles the pending events, after waiting for some if `block`; returns their number.
    @LoopActor
    @discardableResult
    func dispatch(block: Bool) -> Int {
        let count = Int(woodshed_epoll_wait(epoll, &events, Self.mostEvents, block ? -1 : 0))
        for index in 0..<max(count, 0) where events[index].token != Self.own {
            // The handler of an earlier event may have cancelled this watch, so look the watch up only now.
            watches[events[index].token]?.handler(Readiness(rawValue: events[index].events))
        }
        return max(count, 0)
    }
}

public struct DescriptorWatch: Hashable, Sendable {
    let token: UInt64
}

extension Loop {
    /// Calls `handler` on the loop whenever `descriptor` is ready for an event in `interest` (level-triggered).
    ///
    /// Cancel the watch before closing the descriptor.
    @LoopActor
    public func watch(
        _ descriptor: Int32, for interest: Readiness, _ handler: @escaping @LoopActor (Readiness) -> Void
    ) throws(SystemError) -> DescriptorWatch {
        try descriptors.watch(descriptor, for: interest, handler)
    }

    /// Changes the events that a descriptor is watched for.
    @LoopActor
    public func change(_ watch: DescriptorWatch, to interest: Readiness) { descriptors.change(watch, to: interest) }

    /// Ends a watch; the descriptor stays open.
    @LoopActor
    public func cancel(_ watch: DescriptorWatch) { descriptors.cancel(watch) }
}
