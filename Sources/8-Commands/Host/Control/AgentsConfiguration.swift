package import CommandLine
package import Configuration
import Model
import Platform

extension CommandContext {
    /// The configuration. If its files have mistakes and an agent is running, returns the configuration that the agent keeps,
    /// with `isAgents: true`, and warns the user. Throws if no agent responds, or if flags or the environment have mistakes.
    @LoopActor
    package func configurationOrAgents(_ invocation: Invocation) async throws(CommandFailure) -> (Configuration, isAgents: Bool) {
        do throws(ConfigurationError) {
            let configuration = try Configuration.load(ConfigurationSources(invocation, environment: environment))
            for note in configuration.notes { output.warning(note.description) }
            return (configuration, false)
        } catch {
            guard error.isOfFiles, let paths = error.paths, let agent = ControlClient.find(paths, clock: clock),
                let bytes = try? await agent.ask(.get, "/v1/settings", patience: .seconds(5)),
                let configuration = Configuration.ofOtherProcess(bytes, paths: paths)
            else { throw CommandFailure(error) }
            output.warning(
                "\(error.description)\nThe running agent (process \(agent.process)) keeps its previous configuration, and this goes by that."
            )
            return (configuration, true)
        }
    }
}
