/// What failed and is to be tried again: why, how often, and from when on another try is worth it.
///
/// How long each failure rests is the caller's to say; by default the pauses grow.
package struct Retries<Key: Hashable, Reason: Equatable> {
    package struct Entry {
        package let reason: Reason
        /// How many failures count.
        package fileprivate(set) var times: Int
        package fileprivate(set) var until: Moment
    }

    package private(set) var entries: [Key: Entry] = [:]

    package init() {}

    package subscript(key: Key) -> Entry? { entries[key] }

    /// Whether it may be tried, again or for the first time.
    package func mayTry(_ key: Key, at now: Moment) -> Bool { entries[key].map { $0.until <= now } ?? true }

    /// When the next one is due that is not due yet.
    package func next(after now: Moment) -> Moment? { entries.values.lazy.map(\.until).filter { $0 > now }.min() }

    /// Notes a failure, after which it rests for `rest(times)`. Returns whether the reason is new. One that does not count leaves the
    /// number of times as it is.
    @discardableResult
    package mutating func note(
        _ reason: Reason, of key: Key, at now: Moment, counts: Bool = true, rest: (_ times: Int) -> Duration = GrowingPause.after
    ) -> Bool {
        let former = entries[key]
        let times = (former?.times ?? 0) + (counts ? 1 : 0)
        entries[key] = Entry(reason: reason, times: times, until: now + rest(times))
        return former?.reason != reason
    }

    package mutating func forget(_ key: Key) { entries[key] = nil }

    package mutating func keep(where isKept: (Key) -> Bool) {
        if !entries.isEmpty { entries = entries.filter { isKept($0.key) } }
    }

    /// Makes one due.
    package mutating func hurry(_ key: Key, at now: Moment) { entries[key]?.until = now }

    /// Makes all of them due. If a person asked for it, the pauses start again from the shortest.
    package mutating func hurry(at now: Moment, isAsked: Bool) {
        for key in entries.keys {
            entries[key]?.until = now
            if isAsked { entries[key]?.times = 0 }
        }
    }
}

/// How long to wait before trying again when nothing announces the end of a problem: 15 seconds, then twice as long each
/// time.
package enum GrowingPause {
    private static let first = Duration.seconds(15)
    private static let longest = Duration.seconds(600)

    /// The wait after this many failures in a row.
    package static func after(_ failures: Int) -> Duration {
        failures < 1 ? .zero : min(first * (1 << min(failures - 1, 10)), longest)
    }
}
