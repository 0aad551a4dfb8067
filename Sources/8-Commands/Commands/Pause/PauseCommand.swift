import Agent
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform
import Reports

extension Command {
    static let pause = Command(
        name: "pause",
        summary: "Pauses the running agent: no polls, no downloads, nothing rendered ahead",
        details: """
            For a concert, a recording or a slow connection. Pages that someone opens are still drawn. The pause lasts until \
            'woodshed resume', for the time given with --for, or until the agent is restarted; reloading the configuration does not \
            end it.
            """,
        flags: [Flag("for", "TIME", type: .duration(.seconds(1)...(.seconds(31 * 86_400))), "how long, as in 2h")],
        examples: [
            Example("woodshed pause --for 2h", "Pause for the length of the service."),
            Example("woodshed pause", "Pause until 'woodshed resume'."),
        ],
        settings: Options.flags,
        run: { invocation, context in
            let duration: Duration? = invocation.value("for")
            let query = duration.map { [("for", "\($0.components.seconds)")] } ?? []
            try await tell("/v1/pause", query, try context.configuration(invocation).paths, context)
            context.output.result(
                duration.map { "Paused for \(DurationText.text(of: $0)); '\(Model.woodshed("resume"))' ends it sooner." }
                    ?? "Paused; '\(Model.woodshed("resume"))' ends it.")
            return .fine
        })

    static let resume = Command(
        name: "resume",
        summary: "Resumes a paused agent",
        details: "Everything that was put off is done now. Does nothing if the agent is not paused.",
        examples: [Example("woodshed resume", "Resume the agent.")],
        settings: Options.flags,
        run: { invocation, context in
            let paths = try context.configuration(invocation).paths
            let agent = await AgentAnswer(of: paths)
            try await tell("/v1/resume", [], paths, context)
            let wasPaused = agent.report.map { $0.pause != nil } ?? true
            context.output.result(wasPaused ? "The agent has resumed." : "The agent was not paused.")
            return .fine
        })

    static let select = Command(
        name: "select",
        summary: "Tells the running agent which page is on screen, so that it and the next two come first",
        details: """
            For programs that show pages: rendering ahead gives way at once, and the command ends when the page's image is \
            there. Says where it came from: memory, disk, or rendered just now.
            """,
        parameters: [
            Parameter("chart", "the attachment's id, the start of the chart's hash, or part of its name").offering(.charts),
            Parameter("page", "the page, from 1", type: .integer(1...100_000)),
        ],
        flags: [Flag("plain", "the page without marks")],
        json: SelectCommand.form,
        examples: [Example("woodshed select riverside 1", "Have this chart's first page drawn first.")],
        settings: Options.flags,
        run: { try await SelectCommand(invocation: $0, context: $1).run() })

    @LoopActor
    private static func tell(
        _ path: String, _ query: [(name: String, value: String)], _ paths: Paths, _ context: CommandContext
    ) async throws {
        let agent = try ControlClient.required(paths, context)
        _ = try await agent.ask(.post, path, query: query)
    }
}

extension ControlClient {
    /// The running agent, for commands that are useless without one.
    static func required(_ paths: Paths, _ context: CommandContext) throws -> ControlClient {
        guard let agent = find(paths, clock: context.clock) else {
            throw lost(paths) ?? CommandFailure(.failed, "this needs a running agent; '\(woodshed("agent"))' starts one")
        }
        return agent
    }
}

@LoopActor
struct SelectCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let paths = try context.configuration(invocation).paths
        let chart = try chart(in: paths.data)
        let page: Int = invocation.argument("page") ?? 1
        let agent = try ControlClient.required(paths, context)
        var query = [("chart", chart.text), ("page", "\(page - 1)")]
        if invocation.has("plain") { query.append(("plain", "1")) }
        let answer = try await agent.ask(.post, "/v1/select", query: query, patience: ControlClient.patience)
        let shown = try JSONReader.decode(Shown.self, from: answer)
        context.tell(shown, as: Self.form, to: invocation) {
            let origin = shown.from == "rendered" ? "drawn just now" : "from \(shown.from == "disk" ? "the cache" : shown.from)"
            context.output.result("Page \(page) is on screen: \(origin), \(ByteCount(shown.bytes))")
        }
        return .fine
    }

    struct Shown: Decodable {
        let from: String
        let bytes: Int
    }

    nonisolated static let form = JSONForm<Shown>([
        .init("from", "where the page's image came from: memory, disk or rendered", \.from), .init("bytes", "how large it is", \.bytes),
    ])

    private func chart(in data: String) throws -> AttachmentID {
        let library = try Library(readingFrom: data)
        defer { library.close() }
        return try ChartFinder(library).find(invocation.argument("chart") ?? "").attachment
    }
}
