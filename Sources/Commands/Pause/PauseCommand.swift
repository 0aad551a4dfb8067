import CommandLine
import Configuration
import Host
import Model
import Platform

extension Command {
    /// `woodshed pause`
    static let pause: Command = Command(
        name: "pause",
        summary: "Has the running agent hold still: no polls, no downloads, nothing rendered ahead",
        details: """
            For a concert, a recording or a slow line. Pages that somebody looks at are still drawn. It lasts until \
            'woodshed resume', for the time given with --for, or until the agent begins anew.
            """,
        flags: [Flag("for", "TIME", type: .duration(.seconds(1)...(.seconds(31 * 86_400))), "until so much time has passed, as in 2h")],
        examples: [
            Example("woodshed pause --for 2h", "Hold still for the service."),
            Example("woodshed pause", "Hold still until 'woodshed resume'."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in
            let duration: Duration? = invocation.value("for")
            let query = duration.map { [("for", "\($0.components.seconds)")] } ?? []
            try await tell("/v1/pause", query, invocation, context)
            context.output.result(
                duration.map { "Paused for \(DurationText.text(of: $0)); 'woodshed resume' ends it sooner." }
                    ?? "Paused; 'woodshed resume' ends it.")
            return .fine
        })

    /// `woodshed resume`
    static let resume: Command = Command(
        name: "resume",
        summary: "Lets a paused agent go on",
        details: "What was held is done now. It is fine to say it to an agent that is not paused.",
        examples: [Example("woodshed resume", "Let the agent go on.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in
            try await tell("/v1/resume", [], invocation, context)
            context.output.result("The agent goes on.")
            return .fine
        })

    /// `woodshed select`
    static let select: Command = Command(
        name: "select",
        summary: "Tells the running agent which page is looked at, so that it and the next two come before everything else",
        details: """
            For programs that show pages: what is rendered ahead makes way at once, and the command ends when the page's image is \
            there. Says where it came from: memory, disk, or rendered just now.
            """,
        parameters: [
            Parameter("chart", "the chart's id, or a part of its name"), Parameter("page", "the page, from 1", type: .integer(1...100_000)),
        ],
        flags: [Flag("plain", "the page without marks")],
        examples: [Example("woodshed select 79073923 1", "The first page of this chart is looked at.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await SelectCommand(invocation, context).run() })

    @LoopActor
    private static func tell(
        _ path: String, _ query: [(name: String, value: String)], _ invocation: Invocation, _ context: CommandContext
    ) async throws(CommandFailure) {
        let agent = try ControlClient.required(try context.configuration(invocation).paths, context)
        do {
            _ = try await agent.ask(.post, path, query: query)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
    }
}

extension ControlClient {
    /// The agent that runs, for commands that are of no use without one.
    static func required(_ paths: Paths, _ context: CommandContext) throws(CommandFailure) -> ControlClient {
        guard let agent = find(paths, clock: context.clock) else {
            throw lost(paths) ?? CommandFailure(.failed, "no agent runs that could do this; 'woodshed agent' starts one")
        }
        return agent
    }
}
