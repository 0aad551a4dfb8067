import Agent
import Catalogue
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Model
import PlanningCenter
import Platform
import Viewer

extension Command {
    static let agent = Command(
        name: "agent",
        summary: "Keeps the upcoming plans ready; runs in the foreground until stopped",
        details: """
            Asks the service for the upcoming plans, downloads what is new, renders what is missing, and sleeps until the next \
            poll: every two hours, more often as a plan draws near (polling.* in the configuration). When the service cannot be \
            reached, it renders from what is already here. It reloads when the configuration file changes or on SIGHUP, and ends \
            on SIGTERM or Ctrl-C; with code 5 if the service refuses the token and there is nothing here yet to keep ready.
            """,
        examples: [
            Example("woodshed agent", "Run with your configuration."),
            Example("woodshed agent --home ~/try --render-workers=1", "Run with everything in one folder and a single render process."),
        ],
        settings: Options.flags,
        handlesSignals: true,
        run: { invocation, context in
            try await AgentCommand.run(ConfigurationSources(invocation, environment: context.environment), context)
        })
}

enum AgentCommand {
    /// How each line of the log begins. In the journal, it begins with the line's level, since the journal records the time itself;
    /// elsewhere, it begins with the time.
    static func lineBeginning(_ context: CommandContext) -> @Sendable (Log.Level) -> String {
        var stream = stat()
        if let journal = context.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &stream) == 0,
            journal == "\(stream.st_dev):\(stream.st_ino)"
        {
            return { level in
                switch level {
                case .debug: "<7>"
                case .info: "<6>"
                case .warning: "<4>"
                case .error: "<3>"
                }
            }
        }
        return { _ in LocalTime.second(nanosecondsSinceEpoch: Int64(Glibc.time(nil)) * 1_000_000_000) + "  " }
    }

    /// Shows an agent's pages to browsers, now and whenever the tokens of other devices change.
    @LoopActor
    private static func show(
        _ assembly: AgentAssembly, _ setup: AgentSetup, in browsers: ViewerKeeper, letting tokens: NetworkTokens, _ log: Log,
        adopt: @escaping @LoopActor (ViewerSettings.Network?) -> Void
    ) {
        let viewing = setup.configuration.options.viewer
        browsers.show(assembly, viewing, in: setup.network)
        browsers.beforeSignIn = { tokens.check() }
        tokens.follow(setup.configuration, setup.network) { news in
            browsers.receive(news, log) { network in
                adopt(network)
                browsers.show(assembly, viewing, in: network)
            }
        }
    }

    /// Runs until the agent is stopped. Calls `onShown` once, as soon as browsers can be let in.
    @LoopActor
    static func run(
        _ sources: ConfigurationSources, _ context: CommandContext, onShown: @escaping @LoopActor () -> Void = {}
    ) async throws -> ExitCode {
        let first = try await AgentSetup.first(sources, context)
        let ending = Ending(output: context.output)
        let reloading = Reloading(
            first, context.output, beginning: lineBeginning(context), onReady: { ending.interrupt() }
        ) { () throws(CommandFailure) in try await AgentSetup(sources, context) }
        ending.onHangup { reloading.reload(isAsked: true) }
        let manager = ServiceManager(context.environment)
        let browsers = ViewerKeeper { PortHolder.follow($0, manager) }
        let tokens = NetworkTokens(clock: context.clock)
        let reach = Reach(context.clock)
        defer { browsers.stop() }
        var former: AgentSetup?
        var pause: PauseTerm?
        var isShown = false
        while true {
            let setup = reloading.setup
            let log = context.output.log(from: setup.configuration.options.log.level, beginning: lineBeginning(context))
            for note in setup.configuration.notes { log.warning("\(note)") }
            let assembly: AgentAssembly
            let configuration = await setup.configuration.asking(reach, within: .milliseconds(300))
            do throws(CommandFailure) {
                assembly = try AgentAssembly(configuration, account: setup.account, keepsAll: false, context: context, log: log)
            } catch {
                guard let last = former else { throw error }
                // If the agent cannot start with the former setup either, there is no other one to go back to.
                former = nil
                reloading.goBack(to: last, error)
                continue
            }
            former = setup
            assembly.onLeft = { error in
                guard !ending.isOver else { return }
                if case .replaced = error {
                    log.warning("\(error)")
                    ending.interrupt()
                } else {
                    log.error("\(error)")
                    ending.end(.failed)
                }
            }
            if let pause { assembly.agent.pause(pause) }
            let folders = FolderReach(configuration, reach, clock: context.clock, log: log) { folders, areUnmounted in
                // If only the band's folder stopped or resumed responding, the agent just looks again; other changes need a new agent.
                if !areUnmounted, folders == [configuration.options.band.place] { assembly.agent.noteChange() } else { ending.interrupt() }
            }
            assembly.beginUpkeep {
                tokens.check()
                reloading.reload(isAsked: false)
            } onFolders: {
                folders.check()
            }
            reloading.catchUp { try Configuration.load(sources) }
            assembly.joinCommands()
            assembly.control.answer("GET", "/v1/settings") { _ in ControlReply(json: Array(setup.configuration.options.forOthers.utf8)) }
            assembly.beginControl { [browsers, reloading] in browsers.add(reloading.complaints, to: &$0) }
            show(assembly, setup, in: browsers, letting: tokens, log) { reloading.adopt($0) }
            if !isShown { onShown() }
            isShown = true
            let rounds = AgentRounds(assembly, log: log, clock: context.clock, ending: ending)
            rounds.onStatus = { manager.report(status: $0) }
            rounds.begin(in: MachineSurroundings(clock: context.clock))
            manager.report(.ready, status: "making the upcoming plans ready")
            let code = await ending.waitOrInterruption()
            manager.report(code == nil ? .reloading : .stopping, status: code == nil ? "reloading" : "ending")
            rounds.end()
            folders.end()
            tokens.rest()
            // If the agent gave up the catalogue, the new settings are not to blame, and going back to the former ones would not help.
            if assembly.library.isLeft { former = nil }
            pause = assembly.agent.pauseTerm
            if code == nil { browsers.rest() } else { browsers.stop() }
            // Unfinished work, such as reading a large file, may be cut off at any moment. At the end of the process it gets only
            // 1.5 s, since somebody waits for the end; before a restart, it gets `folders.patience`.
            let hasEnded = await assembly.stop(within: code == nil ? folders.patience : .milliseconds(1500))
            if code != nil || ending.isOver {
                // A signal to end may have arrived while the agent was about to restart.
                if code == nil { manager.report(.stopping, status: "ending") }
                let code = await ending.wait()
                guard hasEnded else { _exit(code.rawValue) }
                return code
            }
            log.info("the agent is reloading")
        }
    }
}
