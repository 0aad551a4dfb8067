package import CommandLine
package import Configuration
package import PlanningCenter
package import Platform
package import Viewer

/// An agent starts from this; everything that can be wrong before it runs shows here.
@LoopActor
package struct AgentSetup {
    package let configuration: Configuration
    package let account: Account
    /// How pages are shown to other devices on the network, if at all.
    package let network: ViewerSettings.Network?

    /// Reads the configuration, and fetches the tokens.
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
