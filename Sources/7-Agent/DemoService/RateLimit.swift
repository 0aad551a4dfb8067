/// How many requests a user may make in a period; the service's own limit is 100 in 20 seconds.
public struct RateLimit: Sendable, Hashable {
    public var requests: Int
    /// Whole seconds.
    public var seconds: Int

    /// Makes a limit; by default the real service's.
    public init(requests: Int = 100, seconds: Int = 20) {
        self.requests = requests
        self.seconds = seconds
    }

    /// A limit that no test or first sync can reach.
    public static let generous = RateLimit(requests: 1_000_000, seconds: 20)
}

/// The requests in the current period.
struct RateWindow: Sendable {
    private var start = Stamp(seconds: .min / 2)
    private(set) var count = 0

    /// Counts a request; returns how many seconds to wait if it is one too many.
    mutating func take(_ limit: RateLimit, now: Stamp) -> Int? {
        if now.seconds - start.seconds >= limit.seconds || now < start {
            start = now
            count = 0
        }
        count += 1
        return count > limit.requests ? max(1, start.seconds + limit.seconds - now.seconds) : nil
    }

    func headers(_ limit: RateLimit) -> [(name: String, value: String)] {
        [
            ("X-PCO-API-Request-Rate-Limit", String(limit.requests)),
            ("X-PCO-API-Request-Rate-Period", "\(limit.seconds) seconds"),
            ("X-PCO-API-Request-Rate-Count", String(count)),
        ]
    }
}
