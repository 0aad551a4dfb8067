import Catalogue
import CommandLine
import Configuration
import DemoService
import HTTPClient
import Host
import Library
import Model
import Platform

extension Command {
    static let demoEdit = Command(
        name: "edit",
        summary: "Changes something at the stand-in of a running demo, as a colleague would at the service",
        details: """
            Without a command, prints what can be changed, with the ids, and a command to copy for each kind of change. Pass the \
            --home of the demo if it was given one, or if several are running.
            """,
        examples: [
            Example("woodshed demo edit --home /tmp/try", "Print what can be changed, and how."),
            Example("woodshed demo edit move-item 91230010 0 --home /tmp/try", "Put an item first."),
        ],
        subcommands: [
            Command(
                name: "list", summary: "Prints everything at the stand-in, with all ids, as JSON",
                examples: [Example("woodshed demo edit list --home /tmp/try", "Print it.")],
                run: { invocation, context in
                    try await DemoEditCommand(invocation: invocation, context: context).list()
                }),
            edit(
                "move-item", "Moves an item within its plan", example: "91230010 0",
                [Parameter("item", "its id"), Parameter("position", "its new place, counted from 0", type: .integer(0...10_000))]
            ) { .moveItem(item: $0.text("item"), position: $0.number("position")) },
            edit(
                "replace-chart", "Replaces a chart's file with that of another", example: "79073904 piano-album",
                [Parameter("attachment", "its id"), Parameter("other", "another attachment's id, or the name of a demo chart")]
            ) { .replaceChartWith(attachment: $0.text("attachment"), other: $0.text("other")) },
            edit(
                "add-mark", "Adds a mark to a layer; a red circle if no mark is given", example: "riverside-lead-117 1",
                [
                    Parameter("layer", "its id"), Parameter("page", "the page's number, from 1", type: .integer(1...10_000)),
                    Parameter("mark", "the mark as JSON", isOptional: true),
                ]
            ) { .addMark(layer: $0.text("layer"), page: $0.number("page") - 1, mark: $0.argument("mark")) },
            edit(
                "change-mark", "Changes a mark; its colour if no members are given", example: "m117-0031",
                [Parameter("mark", "its id"), Parameter("members", "what changes, as JSON", isOptional: true)]
            ) { .changeMark(mark: $0.text("mark"), members: $0.argument("members")) },
            edit("delete-mark", "Deletes a mark", example: "m117-0031", [Parameter("mark", "its id")]) {
                .deleteMark(mark: $0.text("mark"))
            },
            edit("delete-layer", "Deletes a layer", example: "riverside-lead-117", [Parameter("layer", "its id")]) {
                .deleteLayer(layer: $0.text("layer"))
            },
            edit(
                "shrink-plan", "Drops items from the end of a plan", example: "67810002 3",
                [Parameter("plan", "its id"), Parameter("keep", "how many items to keep", type: .integer(0...10_000))]
            ) { .shrinkPlan(plan: $0.text("plan"), keep: $0.number("keep")) },
            edit(
                "set-times", "Gives a plan new times; with none, removes them", example: "67820001",
                [Parameter("plan", "its id"), Parameter("start", "when it begins, in UTC", isOptional: true, isRepeated: true)]
            ) { .setTimes(plan: $0.text("plan"), starts: $0.arguments("start")) },
            edit(
                "rename-item", "Gives an item another title", example: "91230010 Hymn",
                [Parameter("item", "its id"), Parameter("title", "its new title")]
            ) { .renameItem(item: $0.text("item"), title: $0.text("title")) },
        ],
        run: { try await DemoEditCommand(invocation: $0, context: $1).offer() })

    private static func edit(
        _ name: String, _ summary: String, example: String, _ parameters: [Parameter],
        _ edit: @escaping @Sendable (Invocation) -> DemoEdit
    ) -> Command {
        Command(
            name: name, summary: summary, parameters: parameters,
            examples: [Example("woodshed demo edit \(name) \(example) --home /tmp/try", "\(summary.prefix { $0 != ";" }).")],
            run: { invocation, context in
                try await DemoEditCommand(invocation: invocation, context: context).send(edit(invocation))
            })
    }
}

extension Invocation {
    /// A parameter that the parser has made sure of.
    fileprivate func text(_ parameter: String) -> String { argument(parameter) ?? "" }
    fileprivate func number(_ parameter: String) -> Int { argument(parameter) ?? 0 }
}

/// Sends requests to the running demo's stand-in.
@LoopActor
struct DemoEditCommand {
    let invocation: Invocation
    let context: CommandContext

    func list() async throws -> ExitCode {
        try await tell(HTTPRequest(.get, address() + "/state"))
    }

    func offer() async throws -> ExitCode {
        for line in try await listing().lines { context.output.result(line) }
        context.output.result("'\(woodshed("demo edit list"))' prints everything as JSON.")
        return .fine
    }

    private func listing() async throws -> DemoListing {
        let state = try await ask(HTTPRequest(.get, address() + "/state"))
        guard let listing = try? JSONReader.decode(DemoListing.self, from: Array(state.utf8)) else {
            throw CommandFailure(.failed, "the running demo is of another version; restart it")
        }
        return listing
    }

    func send(_ edit: DemoEdit) async throws -> ExitCode {
        if case .addMark(let layer, let page, _) = edit { try await check(page: PageIndex(page), ofChartUnder: layer) }
        return try await tell(
            HTTPRequest(.post, address() + "/edit", headers: [("Content-Type", "application/json")], body: edit.json))
    }

    /// Refuses a page that the chart does not have, as far as the demo's library knows how many it has: nobody would see the mark.
    private func check(page: PageIndex, ofChartUnder layer: String) async throws {
        guard let layer = try await listing().layers.first(where: { $0.id == layer }),
            let pages = try? pageCount(of: AttachmentID(layer.attachment)), !(0..<pages).contains(page.value)
        else { return }
        let rest = pages == 1 ? "1 page" : "\(pages) pages; choose one from 1 to \(pages)"
        throw CommandFailure(.failed, "there is no \(page): the chart of this layer has \(rest)")
    }

    private func pageCount(of chart: AttachmentID) throws -> Int? {
        let library = try Library(readingFrom: try paths().data)
        defer { library.close() }
        guard let hash = try library.charts.chart(of: chart)?.hash else { return nil }
        return try library.charts.description(of: hash)?.pages.count
    }

    private func address() throws -> String {
        let paths = try paths()
        // The address left by a demo that was killed would lead to whatever uses its port now.
        guard AgentLock.runner(in: paths.data) != nil else { throw DemoAddress.noDemo }
        return try DemoAddress(paths).read()
    }

    /// Where the demo is that is meant.
    private func paths() throws -> Paths {
        var sources = ConfigurationSources(invocation, environment: context.environment)
        if sources.homeFolder == nil {
            let homes = DemoAddress.freshHomes(context.environment)
            guard homes.count < 2 else {
                let names = homes.map { "--home \($0.shellQuoted)" }.joined(separator: "\n")
                throw CommandFailure(.failed, "several demos are running; say which one with one of\n\(names)")
            }
            sources.home = homes.first
            if let home = homes.first { context.reach("--home \(home.shellQuoted)") }
        }
        return try Configuration.load(sources).paths
    }

    private func tell(_ request: HTTPRequest) async throws -> ExitCode {
        context.output.result(try await ask(request))
        return .fine
    }

    private func ask(_ request: HTTPRequest) async throws -> String {
        let transport = CurlTransport(userAgent: Release.userAgent, allowsInsecureLoopback: true, time: context.clock)
        defer { transport.close() }
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw CommandFailure(.failed, "the demo does not answer: \(error)")
        }
        var text = String(decoding: response.body, as: UTF8.self)
        while text.hasSuffix("\n") { text.removeLast() }
        guard (200..<300).contains(response.status) else { throw CommandFailure(.failed, text) }
        return text
    }
}

/// The contents of a running demo's stand-in, as far as the coming plans show them.
struct DemoListing: Decodable {
    struct Plan: Decodable {
        struct Item: Decodable {
            let id: String, title: String, type: String
        }
        private enum CodingKeys: String, CodingKey {
            case id, serviceTypeName = "service_type_name", starts, items, attachments, isPast = "is_past"
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
