import Model
import Platform

/// How the times in the service's answers compare with this machine's clock.
public struct ServiceClock: Hashable, Sendable {
    /// How far this machine's clock was ahead of the service's: the least and the greatest difference; `nil` if no answer had a time.
    public private(set) var ahead: ClosedRange<Duration>?

    /// The greatest difference at which two clocks count as equal. A clock set by the network is right to a second; a clock set by
    /// hand is right to a minute or two. An answer may have waited a minute in a proxy. Kerberos also tolerates five minutes.
    public static let tolerance: Duration = .seconds(300)

    public init() {}

    /// Notes the time in an answer that arrived at `wallTime`.
    mutating func note(_ response: HTTPResponse, at wallTime: Duration) {
        guard let date = response.headers["date"].flatMap(HTTPDate.parse) else { return }
        let difference = Timestamp(sinceEpoch: wallTime) - date
        ahead = min(ahead?.lowerBound ?? difference, difference)...max(ahead?.upperBound ?? difference, difference)
    }

    /// True if at least one answer had a time, and all times agreed with this machine's clock.
    public var agrees: Bool { ahead.map { .zero - Self.tolerance <= $0.lowerBound && $0.upperBound <= Self.tolerance } ?? false }

    /// How far this machine's clock was ahead of the service's, in the answer with the greatest difference either way; `nil` if no
    /// answer had a time.
    public var difference: Duration? { ahead.map { $0.upperBound.magnitude < $0.lowerBound.magnitude ? $0.lowerBound : $0.upperBound } }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
