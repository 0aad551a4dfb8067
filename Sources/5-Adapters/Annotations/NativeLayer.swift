import JSON
import JSON
import LayerJoin
import Model

/// A native layer as it is written; everything else in it is ignored.
struct NativeLayer: Decodable {
    /// A mark that may be unreadable without harm to the others.
    enum Entry: Decodable {
        case mark(Mark)
        /// The fault, by its field.
        case fault(String)

        init(from decoder: any Decoder) throws {
            do {
                self = .mark(try Mark(from: decoder))
            } catch let error as DecodingError {
                self = .fault(Self.words(error, depth: decoder.codingPath.count))
            } catch {
                self = .fault("they cannot be understood")
            }
        }

        /// Only a field that marks have can be wrong: everything else is kept as it is.
        private static func words(_ error: DecodingError, depth: Int) -> String {
            func field(_ path: [any CodingKey]) -> String? { path.dropFirst(depth).first.map { "“\($0.stringValue)”" } }
            switch error {
            case .keyNotFound(let key, let context): return "\(field(context.codingPath) ?? "“\(key.stringValue)”") is missing"
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                return field(context.codingPath).map { "\($0) has the wrong type" } ?? "they are not objects"
            case .dataCorrupted(let context): return "\(field(context.codingPath) ?? "something in them") cannot be understood"
            @unknown default: return "they cannot be understood"
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

    /// The chart that the layer was made on, as far as it says so.
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

    /// A mark that was deleted: by its id alone whatever it is, otherwise as far as its edits were known then.
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
            // Edits that nobody can have made count for nothing, here as for those who join layers.
            edits = (try? container.decode([String: Int].self, forKey: .edits)).flatMap { Self.areEdits($0) ? $0 : nil }
        }

        /// Returns whether it is of `mark` as it is now. One that was drawn on by somebody who did not know of it stays.
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

    /// The field that says which edits a mark includes: it is for those who join layers, and draws nothing.
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
        // What another version means by its marks is not for us to say.
        entries = version == 1 ? try container.decode([Entry].self, forKey: .marks) : []
        let deleted = version == 1 ? try container.decodeIfPresent([Deletion].self, forKey: .deleted) ?? [] : []
        self.deleted = Dictionary(grouping: deleted, by: \.id)
    }
}
