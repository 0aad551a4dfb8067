package import CommandLine
package import Configuration
package import PlanningCenter
package import Platform
package import Viewer

/// What an agent begins with: everything that can be wrong before it runs.
@LoopActor
package struct AgentSetup {
    package let configuration: Configuration
    package let account: Account
    /// Where beyond this machine pages are shown.
    package let network: ViewerSettings.Network?

    /// Reads the configuration, and the tokens from where they are kept.
    package init(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) {
        configuration = try context.configuration(invocation)
        do {
            network = try configuration.viewerNetwork()
        } catch {
            throw CommandFailure(error)
        }
        account = try await Account(configuration, context: context)
    }
}
