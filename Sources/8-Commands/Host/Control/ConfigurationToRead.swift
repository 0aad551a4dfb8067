package import CommandLine
package import Configuration
import Glibc
import Model
import Platform

extension CommandContext {
    /// The configuration for a command that only reads, since a mistake that somebody made elsewhere must not keep anybody from playing. If
    /// the files have mistakes, this is the configuration that a running agent keeps, otherwise what can be read of them and of the
    /// environment; its `faults` are the mistakes, and one line warns the user. Throws if the command line has mistakes, or a variable that
    /// says where the library is, or if there is no library either.
    @LoopActor
    package func configurationToRead(_ invocation: Invocation) async throws(CommandFailure) -> Configuration {
        do throws(ConfigurationError) {
            let configuration = try Configuration.load(ConfigurationSources(invocation, environment: environment))
            for note in configuration.notes { output.warning(note.description) }
            // 'woodshed open FOLDER' runs an agent with a folder that no file names.
            if configuration.options.plans.folders.isEmpty, SecretSource(configuration.options.account) == nil,
                let (kept, _) = await configurationOfAgent(insteadOf: configuration), kept.hasSetsAlone
            {
                return kept
            }
            return configuration
        } catch {
            guard error.allowsReading, let rest = error.rest else { throw CommandFailure(error) }
            if let (kept, process) = await configurationOfAgent(insteadOf: rest) {
                output.warning(
                    "the running agent (process \(process)) keeps its previous configuration, and this goes by that: \(error.line)")
                return kept
            }
            // Without a library, the mistake may be in the line that says where it is.
            guard access(rest.paths.data + "/catalogue.sqlite", F_OK) == 0 else { throw CommandFailure(error) }
            output.warning("this goes by the rest of the configuration: \(error.line)")
            return rest
        }
    }

    /// What a running agent goes by while the files have the mistakes of `rest`, and the agent's process. Nil if no agent answers, or if a
    /// variable has a mistake, about which an agent with an environment of its own says nothing.
    @LoopActor
    package func configurationOfAgent(insteadOf rest: Configuration) async -> (kept: Configuration, process: Int32)? {
        guard ConfigurationError(faults: rest.faults).isOfFiles, let agent = ControlClient.find(rest.paths, clock: clock),
            let bytes = try? await agent.ask(.get, "/v1/settings", patience: .seconds(5)),
            var kept = Configuration.ofOtherProcess(bytes, paths: rest.paths)
        else { return nil }
        kept.faults = rest.faults
        return (kept, agent.process)
    }
}
