import CommandLine
import FoundationEssentials
import Model

/// What is at the stand-in of a running demo, as far as the coming plans show it.
struct DemoListing: Decodable {
    struct Plan: Decodable {
        struct Item: Decodable {
            let id: String, title: String, type: String
        }
        let id: String, serviceTypeName: String, starts: [String], items: [Item], attachments: [String], isPast: Bool

        /// As the demo calls it: like the service, it does not give the titles of plans to a musician.
        var name: String { serviceTypeName + (starts.last.map { " " + $0.prefix(10) } ?? "") }
    }
    struct Attachment: Decodable {
        let id: String, filename: String
    }
    struct Layer: Decodable {
        struct Mark: Decodable {
            let id: String, page: Int, kind: String
        }
        let id: String, attachment: String, person: String, name: String, deleted: Bool, marks: [Mark]
    }
    let plans: [Plan], attachments: [Attachment], layers: [Layer]

    init(json: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(json))
    }

    /// For each kind of thing: what there is, by its id, and the commands that change one of it.
    var lines: [String] {
        let plans = plans.filter { !$0.isPast }
        let shown = Set(plans.flatMap(\.attachments))
        let charts = attachments.filter { shown.contains($0.id) && $0.filename.hasSuffix(".pdf") }
        let names = Dictionary(charts.map { ($0.id, $0.filename) }) { first, _ in first }
        let layers = layers.filter { !$0.deleted && names[$0.attachment] != nil }
        let marked = layers.last { !$0.marks.isEmpty }
        let song = plans.first?.items.last { $0.type == "song" }
        return Self.part(
            "Plans", plans.map { ($0.id, $0.name) },
            plans.first.map { ["shrink-plan \($0.id) \(max($0.items.count - 2, 0))", "set-times \($0.id)"] })
            + Self.part(
                "Items of plans", plans.flatMap { plan in plan.items.map { ($0.id, "\($0.title) (\(plan.name))") } },
                song.map { ["move-item \($0.id) 0", "rename-item \($0.id) Hymn"] })
            + Self.part("Charts", charts.map { ($0.id, $0.filename) }, charts.last.map { ["replace-chart \($0.id) piano-album"] })
            + Self.part(
                "Layers of marks", layers.map { ($0.id, "\($0.name) by \($0.person), on \(names[$0.attachment] ?? $0.attachment)") },
                layers.last.map { ["add-mark \($0.id) 1", "delete-layer \($0.id)"] })
            + Self.part(
                "Marks of \(marked?.id ?? "layers")", marked?.marks.map { ($0.id, "\($0.kind) on page \($0.page + 1)") } ?? [],
                marked?.marks.first.map { ["change-mark \($0.id)", "delete-mark \($0.id)"] })
    }

    private static func part(_ heading: String, _ rows: [(id: String, words: String)], _ commands: [String]?) -> [String] {
        guard let commands else { return [] }
        let width = rows.map(\.id.count).max() ?? 0
        return ["\(heading):"] + rows.map { "  " + $0.id + String(repeating: " ", count: width - $0.id.count + 2) + $0.words.printable }
            + commands.map { "    " + woodshed("demo edit " + $0) } + [""]
    }
}
