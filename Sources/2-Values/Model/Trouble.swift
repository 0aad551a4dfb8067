/// Why something did not work, for people: what happened, where, and what to do next.
public struct Trouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// As far as anything is decided by it.
    public enum Kind: Hashable, Sendable {
        case other
        /// There is no such thing.
        case unknown
        /// There are several such things.
        case ambiguous
        /// It existed, but has changed by now, or is over.
        case gone
        /// A newer request replaced it.
        case overtaken
        /// The request itself makes no sense, because of this part of it if it is named.
        case senseless(because: String?)
        /// Something else has its place, and is not pushed out of it.
        case inTheWay
        /// It is not stored: the disk has no room, or refuses.
        case noRoom
        /// It is out of reach now; another time it may be there.
        case away
        /// It may be there and right, but access to it is refused.
        case refused
    }

    public let kind: Kind
    public let description: String
    /// What happened, without what to do about it; `nil` if they are not told apart.
    public let brief: String?

    public init(_ kind: Kind, _ happened: String, advice: String? = nil) {
        self.kind = kind
        description = advice.map { "\(happened); \($0)" } ?? happened
        brief = advice.map { _ in happened }
    }

    public init(_ happened: String, advice: String? = nil) { self.init(.other, happened, advice: advice) }
}
