import CommandLine
import Configuration
import PlanningCenter
import Platform
import Viewer

/// What an agent begins with: everything that can be wrong before it runs.
@LoopActor
struct AgentSetup {
    let configuration: Configuration
    let account: Account
    /// Where beyond this machine pages are shown.
    let network: ViewerSettings.Network?

    /// Reads the configuration, and the tokens from where they are kept.
    init(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) {
        configuration = try context.configuration(invocation)
        do {
            network = try configuration.viewerNetwork()
        } catch {
            throw CommandFailure(error)
        }
        account = try await Account(configuration, context: context)
    }
}
