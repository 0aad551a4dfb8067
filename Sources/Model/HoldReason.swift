/// Why the service's new version of a plan was not accepted.
public enum HoldReason: Hashable, Sendable, Codable {
    /// More than half of the charts that were shown lately would not be shown any more: so many, of so many.
    case chartsLost(Int, of: Int)
    /// Its items show none of so many charts, of so many that were shown lately, which the service goes on listing with it: one of
    /// its two lists is wrong.
    case listsDisagree(Int, of: Int)
    /// By this rule of the configuration, none of its charts would be shown, nor any other of its service type.
    case nothingChosen(rule: String)
    /// It would be past, half a year away, or without times.
    case dateDoubtful(from: Timestamp?, to: Timestamp?)

    /// How long the service must go on telling the same before that is believed; `nil` where only a person can say it.
    public var confirmation: Duration? {
        switch self {
        case .chartsLost: .seconds(3600)
        // Neither two lists nor the configuration get truer with time.
        case .listsDisagree, .nothingChosen: nil
        // Nobody plays from a plan that is over, so that nothing is lost by waiting; a plan that is taken for past may be.
        case .dateDoubtful: .seconds(86_400)
        }
    }
}
