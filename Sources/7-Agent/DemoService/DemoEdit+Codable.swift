import FoundationEssentials

extension DemoEdit: Codable {
    private enum Key: String, CodingKey {
        case edit, item, position, attachment, with, base64, layer, page, mark, members, plan, keep, starts, title, edits
    }

    public init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String { try body.decode(String.self, forKey: key) }
        /// A member with JSON in it, as a value or as text.
        func json(_ key: Key) throws -> String? {
            guard let value = try body.decodeIfPresent(JSON.self, forKey: key), value != .null else { return nil }
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
            self = .addMark(
                layer: try text(.layer), page: try body.decodeIfPresent(Int.self, forKey: .page) ?? 0, mark: try json(.mark))
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

    public func encode(to encoder: any Encoder) throws {
        var body = encoder.container(keyedBy: Key.self)
        try body.encode(word, forKey: .edit)
        switch self {
        case .moveItem(let item, let position):
            try body.encode(item, forKey: .item)
            try body.encode(position, forKey: .position)
        case .replaceChart(let attachment, let bytes):
            try body.encode(attachment, forKey: .attachment)
            try body.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        case .replaceChartWith(let attachment, let other):
            try body.encode(attachment, forKey: .attachment)
            try body.encode(other, forKey: .with)
        case .addMark(let layer, let page, let mark):
            try body.encode(layer, forKey: .layer)
            try body.encode(page, forKey: .page)
            try body.encodeIfPresent(mark, forKey: .mark)
        case .changeMark(let mark, let members):
            try body.encode(mark, forKey: .mark)
            try body.encodeIfPresent(members, forKey: .members)
        case .deleteMark(let mark): try body.encode(mark, forKey: .mark)
        case .deleteLayer(let layer): try body.encode(layer, forKey: .layer)
        case .shrinkPlan(let plan, let keep):
            try body.encode(plan, forKey: .plan)
            try body.encode(keep, forKey: .keep)
        case .setTimes(let plan, let starts):
            try body.encode(plan, forKey: .plan)
            try body.encode(starts, forKey: .starts)
        case .renamePlan(let plan, let title):
            try body.encode(plan, forKey: .plan)
            try body.encode(title, forKey: .title)
        case .renameItem(let item, let title):
            try body.encode(item, forKey: .item)
            try body.encode(title, forKey: .title)
        case .putBack(let edits): try body.encode(edits, forKey: .edits)
        }
    }
}
