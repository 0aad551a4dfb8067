package import CommandLine
package import Configuration
import Model
package import PlanningCenter
package import Platform
package import Viewer

/// The configuration and the account that an agent starts from. Any mistake in them is thrown here, before the agent runs.
@LoopActor
package struct AgentSetup {
    package let configuration: Configuration
    /// Nil if none is configured: all plans come from the musician's own folders.
    package let account: Account?
    /// How pages are shown to other devices on the network; nil if they are not.
    package var network: ViewerSettings.Network?

    package init(_ sources: ConfigurationSources, _ context: CommandContext) async throws(CommandFailure) {
        do {
            // The notes are not reported here: the agent logs them.
            try await self.init(Configuration.load(sources), context)
        } catch {
            throw CommandFailure(of: error)
        }
    }

    private init(_ configuration: Configuration, _ context: CommandContext) async throws(CommandFailure) {
        self.configuration = configuration
        do {
            network = try configuration.viewerNetwork()
        } catch {
            throw CommandFailure(error)
        }
        account = try await Account.ifNeeded(configuration, context: context)
    }

    /// The setup of a process's first agent. If the files have mistakes, they count as when an agent last started, as for one that
    /// runs while somebody makes a mistake.
    package static func first(_ sources: ConfigurationSources, _ context: CommandContext) async throws(CommandFailure) -> AgentSetup {
        do throws(ConfigurationError) {
            _ = try Configuration.load(sources)
        } catch {
            guard let rest = error.rest, let kept = Configuration.kept(sources, insteadOf: rest) else { throw CommandFailure(error) }
            return try await AgentSetup(kept, context)
        }
        return try await AgentSetup(sources, context)
    }
}

extension Account {
    /// The configured account; nil if there is none, and the plans come from the musician's own folders.
    @LoopActor
    package static func ifNeeded(_ configuration: Configuration, context: CommandContext) async throws(CommandFailure) -> Account? {
        if configuration.hasSetsAlone { return nil }
        return try await Account(configuration, context: context)
    }

    /// The configured account, with its token read from the configured source.
    @LoopActor
    package init(_ configuration: Configuration, context: CommandContext) async throws(CommandFailure) {
        let options = configuration.options.account
        guard let source = SecretSource(options) else {
            throw CommandFailure(
                .configuration,
                """
                no token is configured; '\(woodshed("setup"))' says how to get one, and sets it up
                ('\(woodshed("config init"))' writes a configuration with every option explained; 'woodshed demo' works without an account)
                """)
        }
        let credentials = source.credentials(configuration, context)
        do {
            self.init(
                apiURL: options.apiURL, annotationsURL: options.annotationsURL, credentials: try await credentials.first(),
                personID: options.person, serviceTypes: options.serviceTypes.map { ServiceTypeID($0) }, userAgent: Release.userAgent)
            if source == .signIn { signInID = try SignIn(configuration, context: context).publicID() }
        } catch {
            throw CommandFailure(.configuration, error is Trouble ? "\(error)" : "no token: \(error)")
        }
        credentialSource = credentials
    }
}
