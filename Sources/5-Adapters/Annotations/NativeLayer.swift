import JSON
import LayerJoin
import Model

/// A native layer as it is in its file. Fields that are not listed here are ignored.
struct NativeLayer: Decodable {
    /// A mark, or why it cannot be read. One unreadable mark does not affect the others.
    enum Entry: Decodable {
        case mark(Mark)
        /// What is wrong, and the field at fault, if any.
        case fault(String, field: String?)

        init(from decoder: any Decoder) throws {
            do {
                self = .mark(try Mark(from: decoder))
            } catch let error as DecodingError {
                self = Self.fault(error, depth: decoder.codingPath.count)
            } catch {
                self = .fault("they cannot be understood", field: nil)
            }
        }

        /// Describes why a mark cannot be decoded. Only its known fields can be at fault; all others are kept unchanged.
        private static func fault(_ error: DecodingError, depth: Int) -> Entry {
            func field(_ context: DecodingError.Context) -> String? { context.codingPath.dropFirst(depth).first?.stringValue }
            switch error {
            case .keyNotFound(let key, let context):
                let field = field(context) ?? key.stringValue
                return .fault("“\(field)” is missing", field: field)
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                let field = field(context)
                return .fault(field.map { "“\($0)” has the wrong type" } ?? "they are not objects", field: field)
            case .dataCorrupted(let context):
                let field = field(context)
                return .fault("\(field.map { "“\($0)”" } ?? "something in them") cannot be understood", field: field)
            @unknown default: return .fault("they cannot be understood", field: nil)
            }
        }
    }

    /// An id that people write either as a number or as a string.
    private struct Identifier: Decodable {
        let text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
        }
    }

    /// The chart that the layer was made on, if its file names one.
    struct Origin: Decodable {
        let attachment: AttachmentID?
        let chart: String?

        private enum Key: String, CodingKey {
            case chart
            case attachment = "attachment_id"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            attachment = try container.decodeIfPresent(Identifier.self, forKey: .attachment).map { AttachmentID($0.text) }
            chart = try container.decodeIfPresent(String.self, forKey: .chart)
        }

        var reference: MarkFile.Reference {
            let hash = chart.flatMap { Digest(hex: $0) }.map { ChartHash($0) }
            let beginning = hash == nil ? chart.flatMap(MarkFile.Reference.chartBeginning) : nil
            return MarkFile.Reference(attachment: attachment, chart: hash, chartBeginning: beginning)
        }
    }

    /// A deleted mark. Without edits, the deletion covers every state of the mark. With edits, it covers a state only if the state
    /// has edits, and the deletion includes all of them.
    struct Deletion: Decodable {
        let id: String
        let edits: [String: Int]?

        private enum Key: String, CodingKey {
            case id
            case edits = "v"
        }

        init(from decoder: any Decoder) throws {
            if let id = try? decoder.singleValueContainer().decode(String.self) {
                (self.id, edits) = (id, nil)
                return
            }
            let container = try decoder.container(keyedBy: Key.self)
            id = try container.decode(String.self, forKey: .id)
            // Ignore impossible edits, as joining does. The deletion then covers every state.
            edits = (try? container.decode([String: Int].self, forKey: .edits)).flatMap { Self.areEdits($0) ? $0 : nil }
        }

        /// Returns whether the deletion covers the present state of `mark`. A mark with a later or an independent edit stays.
        func isOf(_ mark: Mark) -> Bool {
            guard mark.id == id else { return false }
            guard let edits else { return true }
            guard case .object(let known)? = mark.unknown[NativeLayer.edits], !known.isEmpty else { return false }
            return known.allSatisfy { device, number in
                guard case .number(let number) = number, let number = Int(exactly: number), number >= 1 else { return false }
                return number <= edits[device] ?? 0
            }
        }

        private static func areEdits(_ counts: [String: Int]) -> Bool {
            !counts.isEmpty && counts.values.allSatisfy((1...EditCounts.greatest).contains)
        }
    }

    /// The name of the field with the edits that a mark includes. They are needed to join layers and to apply deletions, but not to
    /// draw the mark.
    static let edits = "v"

    let version: Int
    let origin: Origin
    let name: String?
    let entries: [Entry]
    let deleted: [String: [Deletion]]

    private enum Key: String, CodingKey {
        case version, name, marks, deleted
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
        origin = try Origin(from: decoder)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        // Do not read the marks of another version, since they may mean something else.
        entries = version == 1 ? try container.decode([Entry].self, forKey: .marks) : []
        let deleted = version == 1 ? try container.decodeIfPresent([Deletion].self, forKey: .deleted) ?? [] : []
        self.deleted = Dictionary(grouping: deleted, by: \.id)
    }
}
