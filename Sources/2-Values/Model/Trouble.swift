/// Why something did not work, in words for people: what happened, where, and perhaps what to do next.
public struct Trouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of trouble that the program treats differently.
    public enum Kind: Hashable, Sendable {
        case other
        /// The requested thing does not exist.
        case unknown
        /// Several things match the request.
        case ambiguous
        /// The thing existed, but has changed in the meantime, or is over.
        case gone
        /// A newer request replaced this one.
        case overtaken
        /// The request itself makes no sense. `because` names the part at fault, if it is known.
        case senseless(because: String?)
        /// Something else is already there, and is not replaced.
        case inTheWay
        /// The data cannot be stored, because the disk is full or refuses to write.
        case noRoom
        /// The thing cannot be reached now, but perhaps later.
        case away
        /// The thing may exist and be intact, but access to it is refused.
        case refused
    }

    public let kind: Kind
    public let description: String
    /// What happened, without the advice; `nil` if no advice was given separately.
    public let brief: String?

    public init(_ kind: Kind, _ happened: String, advice: String? = nil) {
        self.kind = kind
        description = advice.map { "\(happened); \($0)" } ?? happened
        brief = advice.map { _ in happened }
    }

    public init(_ happened: String, advice: String? = nil) { self.init(.other, happened, advice: advice) }
}
