import Model
import Platform

/// The times in the service's answers, compared with this machine's clock.
public struct ServiceClock: Hashable, Sendable {
    /// How far this machine's clock was ahead of the service's, at least and at most over all answers; `nil` if none gave the time.
    public private(set) var ahead: ClosedRange<Duration>?

    /// How far apart two clocks may be and still agree. A clock that is set by the network is right to a second, one that is set by
    /// hand to a minute or two, and an answer may have waited a minute in a proxy; Kerberos also tolerates five minutes.
    public static let tolerance: Duration = .seconds(300)

    public init() {}

    /// Notes an answer that came at `wallTime`.
    mutating func note(_ response: HTTPResponse, at wallTime: Duration) {
        guard let date = response.headers["date"].flatMap(HTTPDate.parse) else { return }
        let difference = Timestamp(sinceEpoch: wallTime) - date
        ahead = min(ahead?.lowerBound ?? difference, difference)...max(ahead?.upperBound ?? difference, difference)
    }

    /// True if the service gave the time, and it always agreed with this machine's.
    public var agrees: Bool { ahead.map { .zero - Self.tolerance <= $0.lowerBound && $0.upperBound <= Self.tolerance } ?? false }

    /// How far this machine's clock is ahead of the service's, in the answer where they differed most; `nil` if the service
    /// gave no time.
    public var difference: Duration? { ahead.map { $0.upperBound.magnitude < $0.lowerBound.magnitude ? $0.lowerBound : $0.upperBound } }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
