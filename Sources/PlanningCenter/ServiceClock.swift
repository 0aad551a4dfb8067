import Model
import Platform

/// What the service's answers say of the time, beside what this machine's clock says.
public struct ServiceClock: Hashable, Sendable {
    /// How far this machine's clock was ahead of the service's at any answer, at least and at most; `nil` where none told the time.
    public private(set) var ahead: ClosedRange<Duration>?

    /// So far apart are clocks that mean the same time. A clock that is set by the network is right to a second, one that is set by
    /// hand to a minute or two, and an answer may have waited a minute in a proxy: five minutes are what Kerberos bears, too.
    public static let tolerance: Duration = .seconds(300)

    /// Nothing was answered yet.
    public init() {}

    /// Takes note of an answer that came at `wallTime`.
    mutating func note(_ response: HTTPResponse, at wallTime: Duration) {
        guard let date = response.headers["date"].flatMap(HTTPDate.parse) else { return }
        let difference = Timestamp(sinceEpoch: wallTime) - date
        ahead = min(ahead?.lowerBound ?? difference, difference)...max(ahead?.upperBound ?? difference, difference)
    }

    /// Whether the service told the time, and always the same as this machine.
    public var agrees: Bool { ahead.map { .zero - Self.tolerance <= $0.lowerBound && $0.upperBound <= Self.tolerance } ?? false }

    /// How far this machine's clock is ahead of the service's, at the answer where they were farthest apart; `nil` where the service
    /// told no time.
    public var difference: Duration? {
        ahead.map { $0.upperBound.magnitude < $0.lowerBound.magnitude ? $0.lowerBound : $0.upperBound }
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
