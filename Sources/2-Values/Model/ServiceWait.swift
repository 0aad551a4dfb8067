/// A pause before the service is asked again.
public struct ServiceWait: Hashable, Sendable, Codable {
    /// How much longer it takes.
    public var seconds: Int
    /// Whether the service asked for it; otherwise it is ours, since the musician's other apps share the service's limit.
    public var isAsked: Bool

    /// Describes a wait; of a begun second, all counts.
    public init(_ left: Duration, isAsked: Bool) {
        seconds = Int((left + .milliseconds(999)).components.seconds)
        self.isAsked = isAsked
    }

    /// In a few words.
    public var words: String {
        "waiting \(seconds) s, " + (isAsked ? "as the service asks" : "to stay within half of the service's rate limit")
    }
}
