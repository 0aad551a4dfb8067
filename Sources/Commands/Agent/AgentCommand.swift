import Agent
import Model
import PlanningCenter
import Platform

extension Command {
    /// `woodshed agent`
    static let agent: Command = Command(
        name: "agent",
        summary: "Keeps the coming plans ready, in the foreground, until it is told to end",
        details: """
            Asks the service once for the coming plans, downloads what is new, renders what is missing, and sleeps until \
            SIGTERM or Ctrl-C. Without the service it renders from what is here. It ends by itself, with code 5, when the \
            service refuses the token.
            """,
        examples: [
            Example("woodshed agent", "Run with the user's configuration."),
            Example("woodshed agent --home /tmp/try --render-workers=1", "Run with everything below one folder and one render process."),
        ],
        takesSettings: true,
        handlesSignals: true,
        run: AgentCommand.run)
}

/// What `woodshed agent` does.
enum AgentCommand {
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let ending = Ending(output: context.output)
        let configuration = try context.configuration(invocation)
        let log = context.output.log(from: configuration.options.log.level)
        for note in configuration.notes { log.warning("\(note)") }
        let account = try await Account(configuration, context: context)
        let assembly = try AgentAssembly(configuration, account: account, context: context, log: log)
        assembly.beginUpkeep()
        assembly.beginControl()
        spawn { await keepReady(assembly, log, ending) }
        let code = await ending.wait()
        await assembly.stop()
        return code
    }

    /// One round: poll, reconcile, render.
    @LoopActor
    private static func keepReady(_ assembly: AgentAssembly, _ log: Log, _ ending: Ending) async {
        let agent = assembly.agent
        agent.onChanges = { changes in for change in changes { log.info(change.sentence) } }
        let outcome = await agent.poll()
        // Whoever ends us knows that the work is not done.
        guard !ending.isOver else { return }
        for setback in outcome.setbacks { log.warning("\(setback)") }
        // What is here is made ready, whatever the service said.
        agent.reconcile()
        await agent.settled()
        guard !ending.isOver else { return }
        assembly.tidy()
        // Files of marks may have found their charts by the links.
        await agent.settled()
        guard !ending.isOver else { return }
        do {
            log.info(summary(try await agent.planTable(), agent.tally))
        } catch {
            log.error("\(error)")
        }
        if outcome.reach == .notAuthorised { return ending.end(.notAuthorised) }
        log.info("asleep until SIGTERM")
    }

    /// What is here, in a line.
    static func summary(_ table: PlanTable, _ tally: Tally) -> String {
        let missing = table.wanted - table.images
        return
            "\(table.plans.counted("coming plan")), \(table.charts.counted("chart")), \(table.pages.counted("page")), \(table.images.counted("image")) ready"
            + (missing > 0 ? ", \(missing) missing" : "")
            + "; \(tally.downloaded.counted("chart")) downloaded, \(tally.rendered.counted("image")) rendered"
            + (tally.failed > 0 ? ", \(tally.failed) failed" : "")
    }
}
