import FoundationEssentials
import Glibc
import Library
import Model
import Platform

extension Command {
    /// `woodshed open`
    static let open: Command = Command(
        name: "open",
        summary: "Shows the running agent's pages in a browser: plans, charts, and their pages to play from",
        details: """
            Prints an address that lets one browser in, once, within a minute, and opens it in yours where there is a desktop. \
            The browser stays let in until the agent ends. Nobody else on this machine, and no other web page, can read anything.
            """,
        parameters: [Parameter("what", "a plan or a chart: its id, a date, a part of the title, or 'next'", isOptional: true)],
        examples: [
            Example("woodshed open", "See the coming plans."),
            Example("woodshed open next", "See the next plan's running order."),
            Example("woodshed open grace", "Open a chart."),
        ],
        takesSettings: true,
        run: { invocation, context throws(CommandFailure) in try await OpenCommand(invocation, context).run() })
}

/// What `woodshed open` does.
@LoopActor
struct OpenCommand {
    private let context: CommandContext
    private let what: String?
    private let paths: Paths

    init(_ invocation: Invocation, _ context: CommandContext) throws(CommandFailure) {
        self.context = context
        what = invocation.argument("what")
        paths = try context.configuration(invocation).paths
    }

    func run() async throws(CommandFailure) -> ExitCode {
        guard let agent = ControlClient.find(paths, clock: context.clock) else {
            throw ControlClient.lost(paths)
                ?? CommandFailure(
                    .failed,
                    "no agent runs, and it is the agent that shows pages; start it with 'woodshed agent' (or 'systemctl --user start woodshed')"
                )
        }
        let address: String
        do {
            let answer = try await agent.ask(.post, "/v1/open", query: try place())
            address = try JSONDecoder().decode(Answer.self, from: Data(answer)).address
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        context.output.result(address)
        show(address)
        return .fine
    }

    private struct Answer: Decodable {
        var address: String
    }

    /// What is to be opened: a plan by all the names it has, else a chart.
    private func place() throws -> [(name: String, value: String)] {
        guard let what else { return [] }
        let library = try Library(readingFrom: paths.data)
        defer { library.close() }
        let plans = PlanFinder(try library.plans().map(\.plan), now: Timestamp(sinceEpoch: context.clock.wallTime))
        do throws(PlanFinder.Failure) {
            return [("plan", try plans.find(what).id.text)]
        } catch {
            // Of several plans one has to be named; what fits no plan may be a chart.
            guard case .unknown = error else { return [("plan", try plans.findOrExplain(what).id.text)] }
        }
        let chart = try ChartFinder(library).findOrExplain(what).attachment
        return [("chart", chart.text)]
    }

    /// Where a program is that the user's path names.
    private func program(_ name: String) -> String? {
        (context.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Has the desktop open it, where there is one.
    private func show(_ address: String) {
        let environment = context.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
            let program = program("xdg-open")
        else { return }
        do throws(SystemError) {
            // Arguments can be read by every user of the machine, and whoever comes first is let in: the browser is given a file of
            // ours that sends it on.
            let page = paths.runtime + "/open.html"
            let content = #"<!doctype html><meta http-equiv="refresh" content="0;url=\#(address)"><title>Woodshed</title>"#
            try AtomicFile.write(content, to: page)
            let null = try Descriptor.open("/dev/null", O_RDWR)
            _ = try Child.start(
                program, arguments: ["file://" + page], environment: environment.entries,
                descriptors: [null.number, null.number, null.number])
        } catch {
            context.output.warning("no browser was opened: \(error)")
        }
    }
}
