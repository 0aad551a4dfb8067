import Agent
import CommandLine
import Configuration
import DemoService
import Glibc
import Host
import Model
import PlanningCenter
import Platform
import Sync
import Viewer

extension Command {
    /// `joining` is called with the demo's agent, to let other commands pass work to that agent.
    static func demo(joining join: @escaping @Sendable @LoopActor (AgentAssembly) -> Void) -> Command {
        Command(
            name: "demo",
            summary: "Shows everything at work on a stand-in service with its own scores; no account needed",
            details: """
                Starts a stand-in for the service on this machine, syncs with it, renders every page, prints what is ready and where \
                it is, and stays until Ctrl-C (code 130 if something was still being made). Meanwhile it shows the pages in your browser, at the address it prints. 'woodshed \
                open', 'status', 'ready' and others work on it when given its --home; 'woodshed demo edit' changes \
                something at the stand-in, and the demo follows.
                """,
            flags: [
                Flag("once", "end as soon as every image of every upcoming plan is there, with code 3 if one is missing"),
                Flag(
                    "players", "N", type: .integer(1...DemoPlayers.most),
                    "so many players of a band, each with an agent and pages of their own; what one draws, the others see"),
            ],
            json: DemoReport.form,
            examples: [
                Example("woodshed demo", "Run in a new temporary folder and print its name."),
                Example("woodshed demo --once --json --home ~/try", "Run in your own folder, end when all is ready, print counts."),
                Example("woodshed demo --players 2", "Draw in one window, and see it in the other."),
            ],
            subcommands: [demoEdit],
            settings: Options.flags,
            handlesSignals: true,
            run: { try await DemoCommand($0, $1, joining: join).run() })
    }
}

@LoopActor
final class DemoCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let join: @LoopActor (AgentAssembly) -> Void
    private let start: Moment

    init(_ invocation: Invocation, _ context: CommandContext, joining join: @escaping @LoopActor (AgentAssembly) -> Void) {
        (self.invocation, self.context, self.join) = (invocation, context, join)
        start = context.clock.now
    }

    func run() async throws -> ExitCode {
        let ending = Ending(output: context.output, asked: .interrupted)
        let (configuration, network, home) = try configuration()
        if !invocation.has("home") {
            context.reach((["--home \(home.shellQuoted)"] + [invocation.reach].filter { !$0.isEmpty }).joined(separator: " "))
        }
        let log = context.output.log(from: configuration.options.log.level)
        let players = DemoPlayers(home: home, context: context)
        let count: Int = invocation.has("once") ? 1 : invocation.value("players") ?? 1
        let follower = DemoFollower(output: context.output)
        let service = try startService(follower)
        defer { service.stop() }
        let account = Account(
            apiURL: service.apiURL, annotationsURL: service.annotationsURL, credentials: DemoService.token, userAgent: Release.userAgent)
        let assembly = try AgentAssembly(configuration, account: account, context: context, log: log)
        let address = DemoAddress(configuration.paths)
        try address.write(service.controlURL)
        defer { address.remove() }
        let browsers = ViewerKeeper(usualPorts: Self.viewerPorts)
        let tokens = NetworkTokens(clock: context.clock)

        spawn { [self] in
            do {
                assembly.onLeft = { [self] in ending.end(context.fail($0, of: invocation)) }
                let code = try await present(assembly, configuration.paths, home: home, log, ending)
                guard !ending.isOver else { return }
                guard !invocation.has("once"), code == .fine else { return ending.end(code) }
                follower.follow(assembly)
                assembly.beginUpkeep { tokens.check() }
                join(assembly)
                assembly.beginControl { [browsers] in browsers.add(to: &$0) }
                let viewing = configuration.options.viewer
                browsers.show(assembly, viewing, in: network)
                browsers.beforeSignIn = { tokens.check() }
                tokens.follow(configuration, network) { news in
                    browsers.receive(news, log) { browsers.show(assembly, viewing, in: $0) }
                }
                if let address = browsers.invite() {
                    DemoReport.print(address: address, home: home, on: context.output)
                }
                if count > 1 {
                    try await players.start(count, on: service, beside: configuration.paths)
                }
                context.output.message("Ctrl-C ends the demo.")
                ending.asked = .fine
            } catch {
                ending.end(context.fail(error, of: invocation))
            }
        }
        let code = await ending.wait()
        tokens.rest()
        browsers.stop()
        await players.stop()
        await assembly.stop()
        if code == .interrupted || !invocation.has("once") { context.output.message("Stopped. What was made stays in \(home).") }
        return code
    }

    /// Other ports than an agent's usual ones, since an agent that starts later needs those.
    private static let viewerPorts: ClosedRange<UInt16> = 8747...8786

    /// The user's settings with the home that was given, or else a new temporary one.
    private func configuration() throws -> (Configuration, ViewerSettings.Network?, home: String) {
        var sources = ConfigurationSources(invocation, environment: context.environment)
        let home: String
        if let given = sources.homeFolder { home = given } else { home = try Self.freshHome(context.environment) }
        sources.home = home
        // The stand-in uses plain http, on this machine only.
        sources.flags["account.allow_http_loopback"] = .boolean(true)
        if let count: Int = invocation.value("players"), count > 1 {
            try DemoPlayers.begin(in: home, Paths.configurationFile(sources))
        }
        let configuration = try Configuration.load(sources)
        return (configuration, try configuration.viewerNetwork(), home)
    }

    private static func freshHome(_ environment: Environment) throws -> String {
        var template = Array((DemoAddress.temporary(environment) + "/\(DemoAddress.freshHome)XXXXXX").utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map { mkdtemp($0) != nil } ?? false }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard isMade else { throw CommandFailure(.failed, SystemError("create folder", path: path).description) }
        return path
    }

    private static var secondsFromUTC: Int {
        var (now, parts) = (time(nil), tm())
        return localtime_r(&now, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    private func startService(_ follower: DemoFollower) throws -> DemoService {
        do {
            // The time zone makes church services in the demo's plans begin at ten by this machine's clock.
            return try DemoService.start(
                secondsFromUTC: Self.secondsFromUTC, onEdit: { change in spawn { follower.note(change) } })
        } catch {
            throw CommandFailure(.failed, "the stand-in does not start: \(error)")
        }
    }

    /// Syncs, renders, and prints the result. Returns the exit code with which the demo ends now; without `--once`, `.fine` means
    /// that the demo goes on.
    private func present(_ assembly: AgentAssembly, _ paths: Paths, home: String, _ log: Log, _ ending: Ending) async throws
        -> ExitCode
    {
        let agent = assembly.agent
        let bars = SyncProgress(output: context.output, clock: context.clock)
        agent.onProgress { bars.show($0) }
        let outcome = await agent.poll()
        agent.reconcile()
        await agent.settled()
        agent.onProgress(nil)
        bars.finish()
        // If the demo was interrupted meanwhile, there is nothing complete to show.
        guard !ending.isOver else { return .notReady }
        for setback in outcome.setbacks { log.warning("\(setback)") }

        let table = try await agent.planTable()
        let seconds = (context.clock.now - start).inSeconds
        context.give(DemoReport(table: table, tally: agent.tally, seconds: seconds, paths: paths, home: home), to: invocation)
        guard outcome.reach == .reached else { return .offline }
        // If all images are there, the demo goes on even if something else is missing. For example, a musician who edited an
        // earlier demo in the same home has newer marks than the stand-in.
        if !invocation.has("once"), table.isComplete { return .fine }
        return table.isReady && outcome.isComplete ? .fine : .notReady
    }
}

/// Lets the agent poll after each edit at the stand-in, while the demo runs.
@LoopActor
final class DemoFollower {
    private let output: Output
    private var assembly: AgentAssembly?
    private var isDue = false
    private var isBusy = false

    init(output: Output) { self.output = output }

    /// Starts following edits. If there was an edit before, the agent polls immediately.
    func follow(_ assembly: AgentAssembly) {
        self.assembly = assembly
        act()
    }

    /// Prints an edit, and lets the agent poll.
    func note(_ change: String) {
        output.message("At the service: \(change)")
        isDue = true
        act()
    }

    private func act() {
        guard let assembly, isDue, !isBusy else { return }
        let agent = assembly.agent
        isBusy = true
        spawn { [self] in
            while isDue {
                isDue = false
                let before = agent.tally
                let outcome = await agent.poll()
                await agent.settled()
                for setback in outcome.setbacks { output.warning("\(setback)") }
                let charts = agent.tally.downloaded - before.downloaded
                let images = agent.tally.rendered - before.rendered
                output.message("Synced: \(charts.counted("chart")) downloaded, \(images.counted("image")) drawn.")
            }
            isBusy = false
        }
    }
}
