/// All that is said of a lack or a note: a row of the table in which each case has one.
public struct ReadinessRow: Hashable, Sendable {
    /// Its name for programs.
    public let name: String
    /// The sentence for people, without a full stop.
    public let sentence: String
    /// The way to mend it; `nil` if the sentence says that already.
    public let remedy: Remedy?
    /// A few words without paths, for a column and for the other members of a band, who need not know what to do; `nil` for what is said
    /// only where there is room.
    public let short: String?
    public let kind: Kind

    public enum Remedy: Hashable, Sendable {
        /// The next sync does it, or a running agent in time.
        case work
        /// Advice to the musician, in words that follow a semicolon.
        case advice(String)
    }

    public enum Kind: Sendable {
        /// The musician may have to do something about it.
        case attention
        /// It only waits for its turn, or for an agent that names all of its kind once.
        case turn
        /// It is said beside its chart or plan, and nothing has to be done.
        case aside
    }

    init(_ name: String, _ sentence: String, _ remedy: Remedy?, short: String? = nil, _ kind: Kind = .attention) {
        (self.name, self.sentence, self.remedy, self.kind) = (name, sentence, remedy, kind)
        self.short = short ?? (kind == .aside ? nil : name.replacing("-", with: " "))
    }

    /// What to do if a sync alone does not help.
    public var advice: String? { if case .advice(let advice) = remedy { advice } else { nil } }

    /// The sentence, with that.
    public var advised: String { advice.map { "\(sentence); \($0)" } ?? sentence }
}

/// A lack or a note.
public protocol ReadinessRemark: Hashable, Sendable {
    var row: ReadinessRow { get }
}

extension ReadinessRemark {
    public var name: String { row.name }
    public var sentence: String { row.sentence }
    public var advice: String? { row.advice }
    public var advised: String { row.advised }
}
