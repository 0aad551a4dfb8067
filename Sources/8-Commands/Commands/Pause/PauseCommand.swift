import Agent
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

extension Command {
    static let pause = Command(
        name: "pause",
        summary: "Pauses the running agent: the service is not asked, and nothing is downloaded or drawn ahead",
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
            try await send("/v1/pause", query, try context.configuration(invocation).paths, context)
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
            try await send("/v1/resume", [], paths, context)
            let wasPaused = agent.report.map { $0.pause != nil } ?? true
            context.output.result(wasPaused ? "The agent has resumed." : "The agent was not paused.")
            return .fine
        })

    @LoopActor
    private static func send(
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
