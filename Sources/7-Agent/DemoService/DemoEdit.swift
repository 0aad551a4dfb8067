/// A change to the stand-in's state, as one of the musician's colleagues would make it at the service.
///
/// It is sent as a JSON object whose `edit` names the case: `{"edit": "move-item", "item": "91230005", "position": 0}`.
public enum DemoEdit: Sendable, Hashable {
    /// Moves an item to a position in its plan's order, counted from 0.
    case moveItem(item: String, position: Int)
    /// Replaces an attachment's bytes.
    case replaceChart(attachment: String, bytes: [UInt8])
    /// Replaces an attachment's bytes with another demo chart's, given by its attachment id or its name.
    case replaceChartWith(attachment: String, other: String)
    /// Adds a mark to a layer. If no mark is given (as JSON in the annotation format), a red circle is drawn on the page.
    case addMark(layer: String, page: Int, mark: String?)
    /// Changes a mark: the given members (a JSON object) replace its own; if none are given, its colour changes.
    case changeMark(mark: String, members: String?)
    case deleteMark(mark: String)
    case deleteLayer(layer: String)
    /// Removes items from the end of a plan until this many are left.
    case shrinkPlan(plan: String, keep: Int)
    /// Gives a plan new service times (ISO 8601, one hour each); an empty list leaves it without times.
    case setTimes(plan: String, starts: [String])
    case renamePlan(plan: String, title: String)
    case renameItem(item: String, title: String)
    /// Puts the whole service back to how it was before its last edits, as from a backup.
    case putBack(edits: Int)

    /// The word for this edit in JSON and on the command line.
    public var name: String { word.rawValue }

    /// All these words.
    public static var names: [String] { Word.allCases.map(\.rawValue) }

    enum Word: String, CaseIterable, Codable {
        case moveItem = "move-item"
        case replaceChart = "replace-chart"
        case addMark = "add-mark"
        case changeMark = "change-mark"
        case deleteMark = "delete-mark"
        case deleteLayer = "delete-layer"
        case shrinkPlan = "shrink-plan"
        case setTimes = "set-times"
        case renamePlan = "rename-plan"
        case renameItem = "rename-item"
        case putBack = "put-back"
    }

    var word: Word {
        switch self {
        case .moveItem: .moveItem
        case .replaceChart, .replaceChartWith: .replaceChart
        case .addMark: .addMark
        case .changeMark: .changeMark
        case .deleteMark: .deleteMark
        case .deleteLayer: .deleteLayer
        case .shrinkPlan: .shrinkPlan
        case .setTimes: .setTimes
        case .renamePlan: .renamePlan
        case .renameItem: .renameItem
        case .putBack: .putBack
        }
    }
}
