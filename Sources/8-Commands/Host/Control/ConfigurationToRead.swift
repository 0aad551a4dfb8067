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
            return configuration
        } catch {
            guard error.allowsReading, let rest = error.rest else { throw CommandFailure(error) }
            // An agent has an environment of its own, so what it keeps says nothing about a variable here.
            if error.isOfFiles, let agent = ControlClient.find(rest.paths, clock: clock),
                let bytes = try? await agent.ask(.get, "/v1/settings", patience: .seconds(5)),
                var kept = Configuration.ofOtherProcess(bytes, paths: rest.paths)
            {
                kept.faults = error.faults
                output.warning(
                    "the running agent (process \(agent.process)) keeps its previous configuration, and this goes by that: \(error.line)")
                return kept
            }
            // Without a library, the mistake may be in the line that says where it is.
            guard access(rest.paths.data + "/catalogue.sqlite", F_OK) == 0 else { throw CommandFailure(error) }
            output.warning("this goes by the rest of the configuration: \(error.line)")
            return rest
        }
    }
}
