import Platform

/// How long to wait before a request is repeated, and whether it is at all.
///
/// Full jitter: any time between none and a bound that doubles, so that clients which failed together do not come back
/// together.
struct Backoff {
    /// Tries after the first one.
    static let mostRepeats = 2
    /// Repeats between two good answers: a service that is down costs these few, not some for each of a hundred plans.
    static let mostRepeatsInARow = 4
    /// What has taken longer than this already is not begun again.
    static let longest: Duration = .seconds(30)
    private static let first: Duration = .milliseconds(500)
    private static let most: Duration = .seconds(8)

    /// The wait before repeat number `number`, counted from 0; `spread` is from 0 to 1.
    static func wait(_ number: Int, spread: Double) -> Duration {
        min(first * (1 << min(number, 10)), most) * min(max(spread, 0), 1)
    }
}
