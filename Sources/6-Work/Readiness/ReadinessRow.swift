/// All texts about a lack or a note; each case has one row.
public struct ReadinessRow: Hashable, Sendable {
    /// The name that programs see.
    public let name: String
    /// The sentence for people, without a full stop.
    public let sentence: String
    /// The remedy; `nil` if the sentence already names it, or if nothing has to be done.
    public let remedy: Remedy?
    /// A few words without paths, for a table's column and for other members of a band, who need no advice; `nil` if only the
    /// whole sentence is ever shown.
    public let short: String?
    public let kind: Kind

    public enum Remedy: Hashable, Sendable {
        /// The next sync removes the lack; so does a running agent, after a while.
        case work
        /// Advice to the musician, in words that follow a semicolon.
        case advice(String)
    }

    public enum Kind: Sendable {
        /// The musician may have to act.
        case attention
        /// The lack only waits for its turn, or for an agent, which reports all lacks of this kind together.
        case turn
        /// The note is shown with its chart or plan, and requires no action.
        case aside
    }

    init(
        _ name: some RawRepresentable<String>, _ sentence: String, _ remedy: Remedy?, short: String? = nil, _ kind: Kind = .attention
    ) {
        (self.name, self.sentence, self.remedy, self.kind) = (name.rawValue, sentence, remedy, kind)
        self.short = short ?? (kind == .aside ? nil : name.rawValue.replacing("-", with: " "))
    }

    /// What the musician can do if a sync alone does not help.
    public var advice: String? { if case .advice(let advice) = remedy { advice } else { nil } }

    /// The sentence, followed by the advice, if there is any.
    public var advised: String { advice.map { "\(sentence); \($0)" } ?? sentence }
}

public protocol ReadinessRemark: Hashable, Sendable {
    var row: ReadinessRow { get }
}

extension ReadinessRemark {
    public var name: String { row.name }
    public var sentence: String { row.sentence }
    public var advice: String? { row.advice }
    public var advised: String { row.advised }
}
