import Platform

/// How long to wait before a request is repeated, and whether it is repeated at all.
///
/// Full jitter: any time between none and a bound that doubles, so that clients that failed together do not all come
/// back together.
struct Backoff {
    /// The most repeats after the first try.
    static let mostRepeats = 2
    /// The most repeats between two good answers: while the service is down, these few in all, not some for each of a hundred plans.
    static let mostRepeatsInARow = 4
    /// A request that has already taken longer than this is not repeated.
    static let longest: Duration = .seconds(30)
    private static let first: Duration = .milliseconds(500)
    private static let most: Duration = .seconds(8)

    /// The wait before repeat number `number`, counted from 0; `spread` is from 0 to 1.
    static func wait(_ number: Int, spread: Double) -> Duration {
        min(first * (1 << min(number, 10)), most) * min(max(spread, 0), 1)
    }
}
