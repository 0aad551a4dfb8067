/// Why the service's new version of a plan was not accepted.
public enum HoldReason: Hashable, Sendable, Codable {
    /// More than half of the charts shown lately would no longer be shown, or the plan would have no charts. The numbers are the charts
    /// that are gone, and all charts shown lately. In a set of the musician's own, half is enough if that is more than one, and the
    /// numbers may count songs.
    case chartsLost(Int, of: Int)
    /// Charts of the plans in the answer are missing, although the items that showed them still exist, as when the musician gets fewer
    /// rights. The numbers are the missing charts, all charts, and the plans that lost charts.
    case chartsHidden(Int, of: Int, plans: Int)
    /// The plan's items no longer show this many of the charts shown lately, although the service still lists them as files of the
    /// plan. So one of the service's two lists is wrong.
    case listsDisagree(Int, of: Int)
    /// This rule of the configuration would leave the plan without charts, as well as every other plan of its service type.
    case nothingChosen(rule: String)
    /// The plan would be past, more than half a year from its former date or from now, no longer near enough to be kept
    /// ready, or without times.
    case dateDoubtful(from: Timestamp?, to: Timestamp?)
    /// The plan would lose or replace charts, and this many charts in the same poll are older than here, as if the service was
    /// restored to an older state.
    case putBack(older: Int)

    /// How long the service must send the same contents before they are accepted; `nil` if only a person can accept them.
    public var confirmation: Duration? {
        switch self {
        case .chartsLost, .chartsHidden: .seconds(3600)
        // Time corrects neither the service's lists nor the configuration.
        case .listsDisagree, .nothingChosen: nil
        // Time does not make an older state newer.
        case .putBack: nil
        // Nobody plays from a past plan, so waiting does no harm. But a plan that is wrongly considered past may be lost.
        case .dateDoubtful: .seconds(86_400)
        }
    }
}
