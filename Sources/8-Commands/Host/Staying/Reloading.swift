package import CommandLine
package import Configuration
package import Platform
package import Viewer

/// Reloads the configuration while the agent runs. A configuration that cannot be used changes nothing.
@LoopActor
package final class Reloading {
    /// The next agent starts from this.
    package private(set) var setup: AgentSetup

    private let output: Output
    private let beginning: (@Sendable (Log.Level) -> String)?
    /// Called when the agent is to start again.
    private let onReady: @LoopActor () -> Void
    private let load: @LoopActor () async throws(CommandFailure) -> AgentSetup
    private var isLoading = false
    private var isDue: Bool?
    private var trouble: String?
    /// The last one read, whether or not an agent could start with it.
    private var lastRead: Configuration

    /// `beginning` gives the beginning of each line of the log.
    package init(
        _ setup: AgentSetup, _ output: Output, beginning: (@Sendable (Log.Level) -> String)? = nil,
        onReady: @escaping @LoopActor () -> Void,
        load: @escaping @LoopActor () async throws(CommandFailure) -> AgentSetup
    ) {
        (self.beginning, self.setup) = (beginning, setup)
        lastRead = setup.configuration
        (self.output, self.onReady, self.load) = (output, onReady, load)
    }

    /// Reads everything again. Saving a file unchanged has no effect; an explicit reload does, since the token may be new.
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

    /// Reloads if the configuration differs by now: while one agent ends and the next begins, the file is not watched.
    package func catchUp(by read: () throws -> Configuration) {
        let isUnchanged = (try? read()).map { $0.isSame(as: lastRead) } ?? false
        if !isUnchanged { reload(isAsked: false) }
    }

    /// Takes over another token for browsers, which the running agent uses already; the next one starts with it, too.
    package func adopt(_ network: ViewerSettings.Network?) { setup.network = network }

    /// Goes back to the previous setup, since the agent cannot start with the new one.
    package func goBack(to former: AgentSetup, _ failure: CommandFailure) {
        setup = former
        tell(failure)
    }

    /// Mistakes in the configuration that was written since, while the agent goes on with its previous one.
    package var complaints: [String] {
        trouble.map { ["the agent keeps its previous configuration; fix the file and save it again: \($0)"] } ?? []
    }

    private func tell(_ failure: CommandFailure) {
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
            tell(error)
        }
    }
}

extension Configuration {
    /// Whether an agent would run the same with both.
    fileprivate func isSame(as other: Configuration) -> Bool { options == other.options && paths == other.paths }
}
