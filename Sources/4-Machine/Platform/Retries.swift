/// How long to wait before a failed operation is tried again. Nothing announces the end of a problem, so each wait is longer than
/// the one before, up to a longest wait.
package struct GrowingPause: Hashable, Sendable {
    private let first: Duration
    private let factor: Int
    private let most: Duration
    /// How many failures in a row have counted.
    package private(set) var failures = 0
    /// When the operation may be tried again.
    package private(set) var until = Moment(nanoseconds: .min)

    package init(first: Duration, factor: Int = 2, most: Duration) { (self.first, self.factor, self.most) = (first, factor, most) }

    /// The pause for operations that cost little.
    package static let usual = GrowingPause(first: .seconds(15), most: .seconds(600))
    /// The pause for operations that would fail again in any case, and are never tried again.
    package static let forGood = GrowingPause(first: .nanoseconds(Int64.max), most: .nanoseconds(Int64.max))

    /// The wait after this many failures in a row; zero if there are none.
    package func after(_ failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        var (wait, left) = (first, failures - 1)
        while left > 0, wait < most { (wait, left) = (wait * factor, left - 1) }
        return min(wait, most)
    }

    package func mayTry(at now: Moment) -> Bool { until <= now }

    /// How much of the wait is left; `nil` if the wait is over.
    package func rest(at now: Moment) -> Duration? { until > now ? until - now : nil }

    /// Records a failure and returns the wait after it. If the other side demanded a wait, `asked`, the result is that wait; otherwise, the
    /// first `free` failures cause no wait. A failure that does not count leaves the number of failures unchanged.
    @discardableResult
    package mutating func fail(at now: Moment, counts: Bool = true, free: Int = 0, asked: Duration? = nil) -> Duration {
        if counts { failures += 1 }
        let wait = asked ?? after(failures - free)
        until = now + wait
        return wait
    }

    /// Records a success: earlier failures no longer count.
    package mutating func succeed() { self = GrowingPause(first: first, factor: factor, most: most) }

    /// Ends the wait. If a person requested that, the waits start again from the shortest.
    package mutating func hurry(at now: Moment, isAsked: Bool = false) {
        until = now
        if isAsked { failures = 0 }
    }
}

/// Failed operations that will be tried again, each with its reason and its pause.
package struct Retries<Key: Hashable, Reason: Equatable> {
    package struct Entry {
        package let reason: Reason
        fileprivate(set) var pause: GrowingPause

        /// How many failures have counted.
        package var times: Int { pause.failures }
        package var until: Moment { pause.until }
    }

    package private(set) var entries: [Key: Entry] = [:]
    private let pause: GrowingPause
    private let most: Int

    /// When a failure would exceed `most` entries, all former entries are dropped: other people may be able to cause any number of
    /// failures.
    package init(_ pause: GrowingPause = .usual, most: Int = .max) { (self.pause, self.most) = (pause, most) }

    package subscript(key: Key) -> Entry? { entries[key] }

    /// Whether the operation may be tried now.
    package func mayTry(_ key: Key, at now: Moment) -> Bool { entries[key].map { $0.pause.mayTry(at: now) } ?? true }

    /// The earliest time in the future at which an operation becomes due.
    package func next(after now: Moment) -> Moment? { entries.values.lazy.map(\.until).filter { $0 > now }.min() }

    /// Records a failure as `GrowingPause.fail` does. Returns whether the reason is new.
    @discardableResult
    package mutating func note(
        _ reason: Reason, of key: Key, at now: Moment, counts: Bool = true, free: Int = 0, asked: Duration? = nil
    ) -> Bool {
        let former = entries[key]
        if former == nil, entries.count >= most { entries = [:] }
        var pause = former?.pause ?? pause
        pause.fail(at: now, counts: counts, free: free, asked: asked)
        entries[key] = Entry(reason: reason, pause: pause)
        return former?.reason != reason
    }

    package mutating func forget(_ key: Key) { entries[key] = nil }

    package mutating func keep(where isKept: (Key) -> Bool) {
        if !entries.isEmpty { entries = entries.filter { isKept($0.key) } }
    }

    /// Makes one operation due now.
    package mutating func hurry(_ key: Key, at now: Moment) { entries[key]?.pause.hurry(at: now) }

    /// Makes all operations due now. If a person requested that, the pauses start again from the shortest.
    package mutating func hurry(at now: Moment, isAsked: Bool) {
        for key in entries.keys { entries[key]?.pause.hurry(at: now, isAsked: isAsked) }
    }
}
