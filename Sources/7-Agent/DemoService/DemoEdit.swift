import FoundationEssentials
import Model
import Platform

/// A change to the stand-in's state, as one of the musician's colleagues would make it at the service.
///
/// It is sent as a JSON object whose `edit` names the case: `{"edit": "move-item", "item": "91230005", "position": 0}`.
public enum DemoEdit: Sendable, Hashable {
    /// Moves an item to a position in its plan's order, counted from 0.
    case moveItem(item: String, position: Int)
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

    public static var names: [String] { Word.allCases.map(\.rawValue) }

    enum Word: String, CaseIterable, Decodable {
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

extension DemoEdit: Decodable {
    private enum Key: String, CodingKey {
        case edit, item, position, attachment, with, base64, layer, page, mark, members, plan, keep, starts, title, edits
    }

    public init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String { try body.decode(String.self, forKey: key) }
        /// A member with JSON in it, as a value or as text.
        func json(_ key: Key) throws -> String? {
            guard let value = try body.decodeIfPresent(JSONValue.self, forKey: key).map(JSON.init(of:)), value != .null else { return nil }
            return value.string ?? value.text
        }
        switch try body.decode(Word.self, forKey: .edit) {
        case .moveItem: self = .moveItem(item: try text(.item), position: try body.decode(Int.self, forKey: .position))
        case .replaceChart:
            if let other = try body.decodeIfPresent(String.self, forKey: .with) {
                self = .replaceChartWith(attachment: try text(.attachment), other: other)
            } else if let data = Data(base64Encoded: try text(.base64)) {
                self = .replaceChart(attachment: try text(.attachment), bytes: Array(data))
            } else {
                throw DecodingError.dataCorruptedError(forKey: .base64, in: body, debugDescription: "not base64")
            }
        case .addMark:
            self = .addMark(layer: try text(.layer), page: try body.decodeIfPresent(Int.self, forKey: .page) ?? 0, mark: try json(.mark))
        case .changeMark: self = .changeMark(mark: try text(.mark), members: try json(.members))
        case .deleteMark: self = .deleteMark(mark: try text(.mark))
        case .deleteLayer: self = .deleteLayer(layer: try text(.layer))
        case .shrinkPlan: self = .shrinkPlan(plan: try text(.plan), keep: try body.decode(Int.self, forKey: .keep))
        case .setTimes: self = .setTimes(plan: try text(.plan), starts: try body.decode([String].self, forKey: .starts))
        case .renamePlan: self = .renamePlan(plan: try text(.plan), title: try text(.title))
        case .renameItem: self = .renameItem(item: try text(.item), title: try text(.title))
        case .putBack: self = .putBack(edits: try body.decode(Int.self, forKey: .edits))
        }
    }

    /// The JSON that is sent.
    public var json: [UInt8] {
        let members: [(Key, JSON)] =
            switch self {
            case .moveItem(let item, let position): [(.item, .string(item)), (.position, .int(position))]
            case .replaceChart(let attachment, let bytes): [(.attachment, .string(attachment)), (.base64, .string(Base64.encode(bytes)))]
            case .replaceChartWith(let attachment, let other): [(.attachment, .string(attachment)), (.with, .string(other))]
            case .addMark(let layer, let page, let mark): [(.layer, .string(layer)), (.page, .int(page)), (.mark, JSON(mark))]
            case .changeMark(let mark, let members): [(.mark, .string(mark)), (.members, JSON(members))]
            case .deleteMark(let mark): [(.mark, .string(mark))]
            case .deleteLayer(let layer): [(.layer, .string(layer))]
            case .shrinkPlan(let plan, let keep): [(.plan, .string(plan)), (.keep, .int(keep))]
            case .setTimes(let plan, let starts): [(.plan, .string(plan)), (.starts, .array(starts.map { .string($0) }))]
            case .renamePlan(let plan, let title): [(.plan, .string(plan)), (.title, .string(title))]
            case .renameItem(let item, let title): [(.item, .string(item)), (.title, .string(title))]
            case .putBack(let edits): [(.edits, .int(edits))]
            }
        let all = [(.edit, .string(name))] + members.filter { $0.1 != .null }
        return Array(JSON.object(all.map { JSON.Member(name: $0.rawValue, value: $1) }).text.utf8)
    }
}
