/// How long to wait before something is tried again that failed, and until when. Nothing announces the end of a problem, so each wait is
/// longer than the one before, up to the longest.
package struct GrowingPause: Hashable, Sendable {
    private let first: Duration
    private let factor: Int
    private let most: Duration
    /// How many failures in a row count.
    package private(set) var failures = 0
    /// Until when it is not tried again.
    package private(set) var until = Moment(nanoseconds: .min)

    package init(first: Duration, factor: Int = 2, most: Duration) { (self.first, self.factor, self.most) = (first, factor, most) }

    /// For what costs little to try.
    package static let usual = GrowingPause(first: .seconds(15), most: .seconds(600))
    /// For what ends alike whenever it is tried.
    package static let forGood = GrowingPause(first: .nanoseconds(Int64.max), most: .nanoseconds(Int64.max))

    /// The wait after this many failures in a row.
    package func after(_ failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        var (wait, left) = (first, failures - 1)
        while left > 0, wait < most { (wait, left) = (wait * factor, left - 1) }
        return min(wait, most)
    }

    package func mayTry(at now: Moment) -> Bool { until <= now }

    /// How much of the wait is left; `nil` if there is none.
    package func rest(at now: Moment) -> Duration? { until > now ? until - now : nil }

    /// Notes a failure, and answers how long to wait after it: as long as was `asked` for, if anything was. One that does not count leaves
    /// the number of failures as it is; the first few may be `free`, and are followed by no wait.
    @discardableResult
    package mutating func fail(at now: Moment, counts: Bool = true, free: Int = 0, asked: Duration? = nil) -> Duration {
        if counts { failures += 1 }
        let wait = asked ?? after(failures - free)
        until = now + wait
        return wait
    }

    /// Notes that it worked: nothing is left of what failed before.
    package mutating func succeed() { self = GrowingPause(first: first, factor: factor, most: most) }

    /// Ends the wait. If a person asked for it, the waits start again from the shortest.
    package mutating func hurry(at now: Moment, isAsked: Bool = false) {
        until = now
        if isAsked { failures = 0 }
    }
}

/// What failed and is to be tried again, each with its reason and its pause.
package struct Retries<Key: Hashable, Reason: Equatable> {
    package struct Entry {
        package let reason: Reason
        fileprivate(set) var pause: GrowingPause

        /// How many failures count.
        package var times: Int { pause.failures }
        package var until: Moment { pause.until }
    }

    package private(set) var entries: [Key: Entry] = [:]
    private let pause: GrowingPause
    private let most: Int

    /// Of more than `most`, all that is known is forgotten: somebody may name others without end.
    package init(_ pause: GrowingPause = .usual, most: Int = .max) { (self.pause, self.most) = (pause, most) }

    package subscript(key: Key) -> Entry? { entries[key] }

    /// Whether it may be tried, again or for the first time.
    package func mayTry(_ key: Key, at now: Moment) -> Bool { entries[key].map { $0.pause.mayTry(at: now) } ?? true }

    /// When the next one is due that is not due yet.
    package func next(after now: Moment) -> Moment? { entries.values.lazy.map(\.until).filter { $0 > now }.min() }

    /// Notes a failure, as `GrowingPause.fail`. Returns whether the reason is new.
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

    /// Makes one due.
    package mutating func hurry(_ key: Key, at now: Moment) { entries[key]?.pause.hurry(at: now) }

    /// Makes all of them due. If a person asked for it, the pauses start again from the shortest.
    package mutating func hurry(at now: Moment, isAsked: Bool) {
        for key in entries.keys { entries[key]?.pause.hurry(at: now, isAsked: isAsked) }
    }
}
