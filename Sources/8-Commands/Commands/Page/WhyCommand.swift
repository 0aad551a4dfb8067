import CommandLine
import Configuration
import Model
import Platform

extension Command {
    static let why = Command(
        name: "why",
        summary: "Explains a page's image: what it is made from, whether it is there, and what would redraw it",
        details: "Nothing is made or changed; an agent may be running. Times are local; in JSON they are UTC.",
        parameters: [
            Parameter("chart", "the attachment's id, the start of the chart's hash, or part of its name").offering(.charts),
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
        run: { try await WhyCommand(invocation: $0, context: $1).run() })
}

@LoopActor
struct WhyCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let home = try OpenHome(try context.configuration(invocation), for: .reading, context)
        defer { home.close() }
        let story = try await PageStory(
            of: PageIndex((invocation.argument("page") ?? 1) - 1), chart: invocation.argument("chart") ?? "",
            as: invocation.value("variant").flatMap { Variant(rawValue: $0) } ?? .annotated, in: home)
        context.tell(story, as: PageStory.form, to: invocation) {
            for line in story.lines { context.output.result(line.printable) }
        }
        return story.condition == .intact ? .fine : .notReady
    }
}
