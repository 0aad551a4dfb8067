/// Why the service's new version of a plan was not accepted.
public enum HoldReason: Hashable, Sendable, Codable {
    /// Of the charts shown lately, more than half would no longer be shown: this many, of this many.
    case chartsLost(Int, of: Int)
    /// This many of all charts of several plans are missing, although the items that showed them still exist, as when the musician
    /// gets fewer rights.
    case chartsHidden(Int, of: Int, plans: Int)
    /// The plan's items no longer show this many of the charts shown lately, although the service still lists them with the plan:
    /// one of the service's two lists is wrong.
    case listsDisagree(Int, of: Int)
    /// This rule of the configuration would leave the plan, and every other plan of its service type, without charts.
    case nothingChosen(rule: String)
    /// The plan would be past, half a year away, or without times.
    case dateDoubtful(from: Timestamp?, to: Timestamp?)
    /// The plan would lose or replace charts, and this many charts in the same poll are older than the ones here, as from a service
    /// that was restored to an older state.
    case putBack(older: Int)

    /// How long the service must send the same contents until they are accepted; `nil` if only a person can decide.
    public var confirmation: Duration? {
        switch self {
        case .chartsLost, .chartsHidden: .seconds(3600)
        // Time corrects neither the service's lists nor the configuration.
        case .listsDisagree, .nothingChosen: nil
        // Time does not make an older state newer.
        case .putBack: nil
        // Nobody plays from a past plan, so waiting is harmless; but a plan that is wrongly taken for past may be lost.
        case .dateDoubtful: .seconds(86_400)
        }
    }
}
