package import CommandLine
package import Configuration
package import Platform
package import Viewer

/// Reloads the configuration while the agent runs. An invalid configuration changes nothing.
@LoopActor
package final class Reloading {
    /// The setup with which the next agent starts.
    package private(set) var setup: AgentSetup

    private let output: Output
    private let beginning: (@Sendable (Log.Level) -> String)?
    /// Called when the agent must restart.
    private let onReady: @LoopActor () -> Void
    private let load: @LoopActor () async throws(CommandFailure) -> AgentSetup
    private var isLoading = false
    private var isDue: Bool?
    private var trouble: String?
    /// The configuration last read, even if no agent could start with it.
    private var lastRead: Configuration

    /// `beginning` returns the start of each log line.
    package init(
        _ setup: AgentSetup, _ output: Output, beginning: (@Sendable (Log.Level) -> String)? = nil,
        onReady: @escaping @LoopActor () -> Void,
        load: @escaping @LoopActor () async throws(CommandFailure) -> AgentSetup
    ) {
        (self.beginning, self.setup) = (beginning, setup)
        lastRead = setup.configuration
        (self.output, self.onReady, self.load) = (output, onReady, load)
    }

    /// Loads everything again. An unchanged configuration has no effect unless the user asked for the reload: then the agent
    /// restarts, since the token may be new.
    package func reload(isAsked: Bool) {
        isDue = isAsked || isDue == true
        guard !isLoading else { return }
        isLoading = true
        spawn { [self] in
            while let isAsked = isDue {
                isDue = nil
                await loadOnce(isAsked: isAsked)
            }
            isLoading = false
        }
    }

    /// Reloads if the configuration has changed or cannot be read. Its files are not watched between the end of one agent and the
    /// start of the next.
    package func catchUp(by read: () throws -> Configuration) {
        let isUnchanged = (try? read()).map { $0.isSame(as: lastRead) } ?? false
        if !isUnchanged { reload(isAsked: false) }
    }

    /// Stores a new token for browsers, which the running agent already uses, for the next agent.
    package func adopt(_ network: ViewerSettings.Network?) { setup.network = network }

    /// Returns to the previous setup, since the agent cannot start with the new one.
    package func goBack(to former: AgentSetup, _ failure: CommandFailure) {
        setup = former
        report(failure)
    }

    /// Mistakes in a newer configuration while the agent keeps its previous one.
    package var complaints: [String] {
        trouble.map { ["the agent keeps its previous configuration; fix the file and save it again: \($0)"] } ?? []
    }

    private func report(_ failure: CommandFailure) {
        trouble = failure.message
        output.log(from: setup.configuration.options.log.level, beginning: beginning).error(
            "\(failure.message)\nthe agent keeps its previous configuration; fix the file and save it again")
    }

    private func loadOnce(isAsked: Bool) async {
        do {
            let new = try await load()
            lastRead = new.configuration
            trouble = nil
            guard isAsked || !new.configuration.isSame(as: setup.configuration) || new.network != setup.network else { return }
            setup = new
            onReady()
        } catch {
            report(error)
        }
    }
}

extension Configuration {
    /// Whether both configurations make an agent run the same way.
    fileprivate func isSame(as other: Configuration) -> Bool { options == other.options && paths == other.paths }
}
