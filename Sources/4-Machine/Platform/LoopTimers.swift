import CShims
import Glibc

/// The loop's timers, sorted by deadline.
final class LoopTimers: Sendable {
    let descriptor = woodshed_timerfd()
    @LoopActor private var entries: [Entry] = []
    @LoopActor private var armed: Moment?
    @LoopActor private var nextNumber: UInt64 = 0
    @LoopActor private var quietHandlers: [(id: UInt64, handler: @LoopActor () -> Bool)] = []

    private struct Entry {
        let deadline: Moment
        let id: TimerID
        let action: @LoopActor () -> Void
    }

    @LoopActor
    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        nextNumber += 1
        let entry = Entry(deadline: deadline, id: TimerID(number: nextNumber), action: action)
        // There are few timers, so a sorted array is faster than a heap; equal deadlines keep their order.
        let place = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
        entries.insert(entry, at: place)
        arm()
        return entry.id
    }

    @LoopActor
    func cancel(_ id: TimerID) {
        entries.removeAll { $0.id == id }
        arm()
    }

    @LoopActor
    func fire() {
        guard let first = entries.first, first.deadline <= SystemClock.bootTime() else { return }
        let now = SystemClock.bootTime()
        while let first = entries.first, first.deadline <= now {
            entries.removeFirst()
            first.action()
        }
        arm()
    }

    /// Sets the kernel's timer to the first deadline, if that has changed.
    @LoopActor
    private func arm() {
        guard armed != entries.first?.deadline else { return }
        armed = entries.first?.deadline
        // Zero would disarm the timer, so a deadline of zero becomes the first nanosecond.
        _ = woodshed_timerfd_set(descriptor, armed.map { max($0.nanoseconds, 1) } ?? 0)
    }

    // MARK: - Quiet

    @LoopActor
    func whenQuiet(_ handler: @escaping @LoopActor () -> Bool) -> TimerID {
        nextNumber += 1
        quietHandlers.append((nextNumber, handler))
        return TimerID(number: nextNumber)
    }

    @LoopActor
    func removeQuietHandler(_ id: TimerID) {
        quietHandlers.removeAll { $0.id == id.number }
    }

    @LoopActor var hasQuietHandlers: Bool { !quietHandlers.isEmpty }

    /// Runs all handlers; returns whether any handler started something.
    @LoopActor
    func runWhenQuiet() -> Bool {
        var acted = false
        for (_, handler) in quietHandlers where handler() { acted = true }
        return acted
    }
}

extension Loop {
    /// Calls `handler` whenever no job is ready and no descriptor has events, before the loop sleeps.
    ///
    /// The handler returns whether it started something. Only simulated clocks need this, to advance their time.
    @LoopActor
    public func whenQuiet(_ handler: @escaping @LoopActor () -> Bool) -> TimerID { timers.whenQuiet(handler) }

    @LoopActor
    public func removeQuietHandler(_ id: TimerID) { timers.removeQuietHandler(id) }
}
