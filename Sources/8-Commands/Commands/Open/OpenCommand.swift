import Barcode
import CommandLine
import Configuration
import Glibc
import Host
import JSON
import Library
import Model
import Platform
import Sets
import Viewer

extension Command {
    static let open = Command(
        name: "open",
        summary: "Opens the running agent's pages in a browser: plans, charts, and pages to play from",
        details: """
            Prints an address that lets one browser in, once, within a minute, and opens it in your browser if there is a \
            desktop. The browser stays signed in until the agent ends. Nobody else on this machine, and no other web page, can \
            read anything.

            With --tablet, it prints a code for a tablet's camera instead, and the address in it. That lets one browser on your \
            network in, once, within three minutes; it makes the token that tablets sign in with, and says what has to be set for that. --list says which browsers \
            on the network are signed in, and --end signs one of them out.
            """,
        parameters: [
            Parameter("what", "a plan or a chart: its id, a date, part of the title, or 'next'; or a folder of sets", isOptional: true)
                .offering(.places(["next"]))
        ],
        flags: [
            Flag("tablet", "let a tablet in: print a code for its camera"),
            Flag("list", "list the browsers on the network that are signed in"),
            Flag("end", "ID", type: .text, "sign out one of those"),
        ],
        json: OpenedPages.form,
        examples: [
            Example("woodshed open", "See the upcoming plans."),
            Example("woodshed open next", "See the next plan's running order."),
            Example("woodshed open riverside", "Open a chart."),
            Example("woodshed open ~/Music/Sets", "See the sets in a folder, without any set-up."),
            Example("woodshed open next --tablet", "Bring a tablet to the next plan."),
            Example("woodshed open --list", "See which tablets are signed in."),
        ],
        settings: Options.flags,
        run: { invocation, context in
            do {
                let configuration = try await context.configurationToRead(invocation)
                return try await OpenCommand(invocation: invocation, context: context, configuration: configuration).run()
            } catch {
                // A user who started this from a menu has no terminal, and would see nothing without a message on the desktop.
                let desktop = Desktop(context)
                if desktop.isAllThatIsSeen { await desktop.explain(CommandFailure(of: error).message) }
                throw error
            }
        })
}

@LoopActor
struct OpenCommand {
    let invocation: Invocation
    let context: CommandContext
    let configuration: Configuration
    private var paths: Paths { configuration.paths }

    func run() async throws -> ExitCode {
        if let what: String = invocation.argument("what"), let folder = Self.folder(what, isPlan: { isPlan(what) }) {
            return try await show(folder)
        }
        guard let agent = ControlClient.find(paths, clock: context.clock) else {
            if let failure = ControlClient.lost(paths) { throw failure }
            try OpenHome.refuseUnlessSetUp(configuration, context.environment)
            if DemoAddress.isHome(ofDemo: paths.data) {
                throw CommandFailure(
                    .failed,
                    "no agent is running to show the pages; this is a demo's home: start the demo again with '\(woodshed("demo"))'")
            }
            // What is named here must not need the agent that it is needed for.
            if invocation.has("tablet"), configuration.options.viewer.isEnabled, try configuration.viewerNetwork() == nil {
                throw CommandFailure(.failed, try ViewerToken.preparation(configuration))
            }
            let sources = ConfigurationSources(invocation, environment: context.environment)
            if let mistake = configuration.mistake, Configuration.kept(sources, insteadOf: configuration) == nil {
                throw CommandFailure(
                    .configuration,
                    "no agent is running to show the pages, and none starts before this mistake is mended: \(mistake)\n"
                        + "then start one with '\(woodshed("agent"))'")
            }
            throw CommandFailure(
                .failed,
                "no agent is running to show the pages; start one with '\(woodshed("agent"))' (or 'systemctl --user start woodshed')")
        }
        if let ended: String = invocation.value("end") {
            _ = try await agent.ask(.post, "/v1/end", query: [("browser", ended)])
            return context.give(OpenedPages(ended: ended), to: invocation)
        }
        if invocation.has("list") {
            let list = try JSONReader.decode(BrowserList.self, from: try await agent.ask(.get, "/v1/browsers"))
            return context.give(OpenedPages(browsers: list.browsers), to: invocation)
        }
        if invocation.has("tablet") { return try await showCode(of: agent) }
        let desktop = Desktop(context)
        if desktop.isAllThatIsSeen, !desktop.opensPages {
            throw CommandFailure(.failed, "there is no program to open the browser; install xdg-open (package xdg-utils)")
        }
        var query = try place()
        if desktop.opensPages { query.append(("folder", await desktop.pageFolder(usual: paths.runtime))) }
        let answer = try JSONReader.decode(Reply.self, from: try await agent.ask(.post, "/v1/open", query: query))
        context.give(OpenedPages(address: answer.address), to: invocation)
        if let trouble = open(answer, desktop).map({ "no browser was opened: \($0)" }) {
            guard !desktop.isAllThatIsSeen else { throw CommandFailure(.failed, trouble) }
            context.output.warning(trouble)
        }
        if !invocation.has("json") {
            context.output.message(
                (desktop.opensPages ? "If no browser opens, open this" : "Open this") + " in a browser on this computer within a minute.")
        }
        return .fine
    }

    /// The folder that a name means, seen from the folder `place`; nil if it means something else. Whoever stands in a folder of sets means
    /// the plan of such a name, as anywhere else, if there is one.
    static func folder(_ name: String, from place: String = ".", isPlan: () -> Bool) -> String? {
        let path = name.hasPrefix("/") ? name : "\(place)/\(name)"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        if !name.contains("/"), name == "next" || SetName.read(name) != .other && isPlan() { return nil }
        return Folder.real(path)
    }

    /// Whether a name means a plan that is here, or several.
    private func isPlan(_ name: String) -> Bool {
        guard let library = try? Library(readingFrom: paths.data) else { return false }
        defer { library.close() }
        do {
            _ = try PlanFinder(library, now: context.clock.timestamp).find(name)
            return true
        } catch {
            return (error as? Trouble)?.kind == .ambiguous
        }
    }

    /// Shows the sets in a folder. If no agent runs, this process is one until it is stopped.
    private func show(_ folder: String) async throws -> ExitCode {
        let folders = configuration.options.plans.folders
        let isKept = folders.contains { Folder.real($0) == folder }
        if !isKept, case .set = SetName.read(folder.split(separator: "/").last.map(String.init) ?? "") {
            // In a folder of sets, what lies loose is a songbook.
            let around = Folder.parent(of: folder)
            throw CommandFailure(
                .failed, "\(folder) is one set; open the folder that it is in: \(woodshed("open \(around.shellQuoted)"))")
        }
        if ControlClient.find(paths, clock: context.clock) != nil {
            guard isKept else {
                throw CommandFailure(
                    .failed,
                    "an agent is running that does not show this folder; to have it do so, add the folder to plans.folders in "
                        + "\(paths.configuration)")
            }
            return try await OpenCommand(invocation: invocation.without("what"), context: context, configuration: configuration).run()
        }
        if let failure = ControlClient.lost(paths) { throw failure }
        Signals.block([SIGINT, SIGTERM, SIGHUP])
        var sources = ConfigurationSources(invocation, environment: context.environment)
        sources.flags["plans.folders"] = .list(isKept ? folders : folders + [folder])
        let keeping =
            isKept
            ? ""
            : """
             To keep it, put these lines into \(paths.configuration), and start '\(woodshed("agent"))':
            plans:
              folders: \(InputValue.list(folders + [folder]).yaml)
            """
        context.output.message("The sets in \(folder) are shown until you press Ctrl-C." + keeping)
        let opening = OpenCommand(invocation: invocation.without("what"), context: context, configuration: configuration)
        return try await AgentCommand.run(sources, context) { [context] in
            spawn {
                do {
                    _ = try await opening.run()
                } catch {
                    context.output.warning("\(CommandFailure(of: error).message)")
                }
            }
        }
    }

    private struct Reply: Decodable {
        var address: String
        /// The file that redirects to the address.
        var page: String?
        /// Why there is no file that redirects to the address.
        var trouble: String?
    }

    /// Prints an address for a tablet. On a terminal that is wide enough, also prints the address as a QR code, unless JSON is requested.
    private func showCode(of agent: ControlClient) async throws -> ExitCode {
        let query = try place() + [("tablet", "1")]
        let reply: [UInt8]
        do throws(ControlFailure) {
            reply = try await agent.ask(.post, "/v1/open", query: query)
        } catch {
            // Explain the preparations only after the agent has refused, since it may have been started with other settings than
            // the present ones.
            guard case .refused(status: 409, _) = error, configuration.options.viewer.isEnabled, try configuration.viewerNetwork() == nil
            else {
                throw error
            }
            throw CommandFailure(.failed, try ViewerToken.preparation(configuration))
        }
        let answer = try JSONReader.decode(Reply.self, from: reply)
        let output = context.output
        var isShown = false
        if !invocation.has("json"), let width = output.terminal.width, !output.terminal.isDumb, let code = QRCode(answer.address) {
            isShown = width >= code.side
            if isShown {
                for line in code.terminalLines { output.result(asItIs: line + "\n") }
            } else {
                output.message(
                    "The code has \(code.side) columns, and this terminal \(width): for the code, make it wider and run this again.")
            }
        }
        context.give(OpenedPages(address: answer.address), to: invocation)
        let minutes = Int(Invitation.tabletTime.components.seconds) / 60
        let way = isShown ? "Hold the tablet's camera to the code." : "Type this address into the tablet's browser."
        output.message("\(way) It lets one browser in, once, within \(minutes.counted("minute")).")
        return .fine
    }

    /// Opens the page in the browser. On failure, returns the reason.
    private func open(_ answer: Reply, _ desktop: Desktop) -> String? {
        guard let page = answer.page else { return answer.trouble }
        do throws(SystemError) {
            try desktop.open(page: page)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The part of the request that names the plan that the argument identifies in any way, otherwise the chart. Empty without an
    /// argument.
    private func place() throws -> [(name: String, value: String)] {
        guard let what: String = invocation.argument("what") else { return [] }
        let library = try Library(readingFrom: paths.data)
        defer { library.close() }
        switch try NamedPlace(what, in: library, now: context.clock.timestamp, needsOrder: false) {
        case .plan(let plan): return [("plan", plan.id.text)]
        case .chart(let chart): return [("chart", chart.attachment.text)]
        }
    }
}

private struct BrowserList: Decodable {
    struct Browser: Decodable {
        var id: String
        var name: String
        var since: String
    }

    var browsers: [Browser]
}

/// The address of the pages, the browsers that are signed in, or the browser that was signed out.
private struct OpenedPages: Answer {
    var address: String?
    var browsers: [BrowserList.Browser]?
    var ended: String?

    static let form = JSONForm<OpenedPages>([
        .init("address", "an address that lets one browser in, once; null with --list and --end", \.address),
        .list(
            "browsers",
            of: JSONForm<BrowserList.Browser>([
                .init("id", "with --list, a browser that is signed in", \.id), .init("name", "what it is", \.name),
                .init("since", "since when") { Timestamp($0.since) },
            ]), \.browsers),
        .init("ended", "with --end, the browser that was signed out", \.ended),
    ])

    func print(on output: Output) {
        if let address { output.result(address) }
        if ended != nil { output.message("Signed out. Whoever has the token can sign in again; a new one signs out all.") }
        if browsers?.isEmpty == true { output.message("No browser on the network is signed in.") }
        for browser in browsers ?? [] {
            let since = Timestamp(browser.since).map(TimeText.minute) ?? browser.since
            output.result("\(browser.id)  \(browser.name), since \(since)")
        }
    }
}
