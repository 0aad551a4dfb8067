/// Why the service's new version of a plan was not accepted.
public enum HoldReason: Hashable, Sendable, Codable {
    /// More than half of the charts that were shown lately would no longer be shown: this many, out of this many.
    case chartsLost(Int, of: Int)
    /// This many charts, out of all of so many plans, vanished at once although the items that showed them are still there: as when the
    /// musician's rights are narrowed.
    case chartsHidden(Int, of: Int, plans: Int)
    /// Its items no longer show this many charts, out of this many that were shown lately, although the service still lists them with
    /// the plan: one of its two lists is wrong.
    case listsDisagree(Int, of: Int)
    /// This rule of the configuration would leave it, and every other plan of its service type, without charts.
    case nothingChosen(rule: String)
    /// It would be past, half a year away, or without times.
    case dateDoubtful(from: Timestamp?, to: Timestamp?)
    /// It would lose or replace charts, and the same poll had this many that are older than those here, as from a service that was put
    /// back to an older state.
    case putBack(older: Int)

    /// How long the service must send the same before it is believed; `nil` if only a person can decide.
    public var confirmation: Duration? {
        switch self {
        case .chartsLost, .chartsHidden: .seconds(3600)
        // Neither two lists nor the configuration become right with time.
        case .listsDisagree, .nothingChosen: nil
        // Nor does an older state become newer.
        case .putBack: nil
        // Nobody plays from a plan that is over, so waiting loses nothing, but a plan wrongly taken for past may be lost.
        case .dateDoubtful: .seconds(86_400)
        }
    }
}
