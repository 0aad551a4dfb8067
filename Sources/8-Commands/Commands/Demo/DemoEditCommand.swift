import Catalogue
import CommandLine
import Configuration
import DemoService
import HTTPClient
import Host
import JSON
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
            Example("woodshed demo edit --home ~/try", "Print what can be changed, and how."),
            Example("woodshed demo edit move-item 91230010 0 --home ~/try", "Put an item first."),
        ],
        subcommands: [
            edit(
                "move-item", "Moves an item within its plan", example: "91230010 0",
                [Parameter("item", "its id"), Parameter("position", "its new place, counted from 0", type: .integer(0...10_000))]),
            edit(
                "replace-chart", "Replaces a chart's file with that of another", example: "79073904 piano-album",
                [Parameter("attachment", "its id"), Parameter("other", "another attachment's id, or the name of a demo chart")]),
            edit(
                "add-mark", "Adds a mark to a layer; a red circle if no mark is given", example: "riverside-lead-117 1",
                [
                    Parameter("layer", "its id"), Parameter("page", "the page's number, from 1", type: .integer(1...10_000)),
                    Parameter("mark", "the mark as JSON", isOptional: true),
                ]),
        ],
        run: { try await DemoEditCommand(invocation: $0, context: $1).offer() })

    /// Each parameter is sent under its own name, which the stand-in expects.
    private static func edit(_ name: String, _ summary: String, example: String, _ parameters: [Parameter]) -> Command {
        Command(
            name: name, summary: summary, parameters: parameters,
            examples: [Example("woodshed demo edit \(name) \(example) --home ~/try", "\(summary.prefix { $0 != ";" }).")],
            run: { invocation, context in
                var members: [(name: String, value: JSONText)] = [("edit", .text(name))]
                for name in parameters.map(\.name) {
                    if let number: Int = invocation.argument(name) { members.append((name, .integer(number))) }
                    if let word: String = invocation.argument(name) { members.append((name, .text(word))) }
                }
                return try await DemoEditCommand(invocation: invocation, context: context).send(.object(members))
            })
    }
}

/// Sends requests to the running demo's stand-in.
@LoopActor
struct DemoEditCommand {
    let invocation: Invocation
    let context: CommandContext

    func offer() async throws -> ExitCode {
        for part in try await offered().parts {
            context.output.result("\(part.heading):")
            let width = part.rows.map(\.id.count).max() ?? 0
            for row in part.rows {
                let gap = String(repeating: " ", count: width - row.id.count + 2)
                context.output.result("  \(row.id)\(gap)\(row.words.printable)")
            }
            context.output.result("    \(woodshed("demo edit " + part.command))\n")
        }
        return .fine
    }

    private func offered() async throws -> DemoOffer {
        let offer = try await ask(HTTPRequest(.get, address() + "/offer"))
        guard let offer = try? JSONReader.decode(DemoOffer.self, from: Array(offer.utf8)) else {
            throw CommandFailure(.failed, "the running demo is of another version; restart it")
        }
        return offer
    }

    func send(_ edit: JSONText) async throws -> ExitCode {
        if let page: Int = invocation.argument("page"), let layer: String = invocation.argument("layer") {
            try await check(page: PageIndex(page - 1), ofChartUnder: layer)
        }
        let request = HTTPRequest(
            .post, try address() + "/edit", headers: [("Content-Type", "application/json")], body: edit.bytes(forBrowsers: false))
        context.output.result(try await ask(request))
        return .fine
    }

    /// Throws if the chart does not have this page, since a mark there would be invisible. If the number of pages is not known,
    /// every page is accepted.
    private func check(page: PageIndex, ofChartUnder layer: String) async throws {
        guard let chart = try await offered().charts[layer], let pages = try? pageCount(of: AttachmentID(chart)),
            !(0..<pages).contains(page.value)
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
        // A demo that was killed leaves its address behind, and another program may use that port by now. So check that a demo is
        // running.
        guard AgentLock.runner(in: paths.data) != nil else { throw DemoAddress.noDemo }
        return try DemoAddress(paths).read()
    }

    /// The folders of the running demo.
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

/// The things that can be edited at a running demo's stand-in.
struct DemoOffer: Decodable {
    struct Part: Decodable {
        struct Row: Decodable {
            let id: String, words: String
        }
        /// `command` is an example of an edit.
        let heading: String, rows: [Row], command: String
    }
    let parts: [Part]
    /// The chart of each layer, by the layer's id.
    let charts: [String: String]
}
