import Agent
import CommandLine
import Configuration
import Freshness
import Host
import Keeping
import Library
import Model
import Platform
import Readiness
import Reports

extension Command {
    /// `woodshed why`
    static let why: Command = Command(
        name: "why",
        summary: "Explains a page's image: what it is made from, why it was made, whether it is there, and what would redraw it",
        details: "Nothing is made or changed; an agent may be running. Times are local; in JSON they are UTC.",
        parameters: [
            Parameter("chart", "the attachment's id, the start of the chart's hash, or part of its name"),
            Parameter("page", "the page's number, from 1", type: .integer(1...10_000)),
        ],
        flags: [
            Flag(
                "variant", "VARIANT", type: .choice(Variant.allCases.map(\.rawValue)), "plain, annotated (the default) or thumbnail")
        ],
        json: PageStory.form,
        examples: [
            Example("woodshed why riverside 1", "Print whose marks are on the first page and the state of its image."),
            Example("woodshed why 79073916 2 --variant thumbnail --json", "Print the same for a thumbnail, as JSON."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await WhyCommand(invocation, context).run() })
}

/// What `woodshed why` does.
@LoopActor
struct WhyCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let source: AgentAnswer.Source

    init(_ invocation: Invocation, _ context: CommandContext, source: @escaping AgentAnswer.Source = AgentAnswer.bySocket) {
        self.invocation = invocation
        self.context = context
        self.source = source
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let holdings = try Holdings(try context.configuration(invocation), for: .reading, context)
        defer { holdings.close() }
        let story: PageStory
        do {
            story = try await PageStory(
                of: PageIndex((invocation.argument("page") ?? 1) - 1), chart: invocation.argument("chart") ?? "",
                as: invocation.value("variant").flatMap { Variant(rawValue: $0) } ?? .annotated, in: holdings, asking: source)
        } catch {
            throw CommandFailure(of: error)
        }
        if invocation.has("json") {
            context.output.result(story, as: PageStory.form)
        } else {
            for line in story.lines { context.output.result(line.printable) }
        }
        return story.condition == .intact ? .fine : .notReady
    }
}
