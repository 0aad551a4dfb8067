import PlanningCenter
import Platform

/// What an agent begins with: everything that can be wrong before it runs.
@LoopActor
struct AgentSetup {
    let configuration: Configuration
    let account: Account

    /// Reads the configuration, and the token from where it is kept.
    init(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) {
        configuration = try context.configuration(invocation)
        account = try await Account(configuration, context: context)
    }
}
