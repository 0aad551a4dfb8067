import Agent
import Catalogue
import CommandLine
import Configuration
import Glibc
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Readiness

extension Command {
    static let status = Command(
        name: "status",
        summary: "Shows whether the upcoming plans are ready, what is being done, and what is wrong",
        details: """
            Plan by plan with one line per chart, then the service, the agent and the cache, and what needs attention. Images \
            are checked only quickly; 'woodshed ready' checks every byte. Nothing is made or changed; an agent may be running. The code is 0 \
            whether the plans are ready or not, 4 if only a part of the configuration can be read, and 1 if nothing is set up or fetched yet.
            """,
        flags: [Flag("watch", "keep it up to date on the terminal until q or Ctrl-C")],
        json: Status.form,
        examples: [
            Example("woodshed status", "Print the current state."),
            Example("woodshed status --watch", "Watch an agent at its work."),
        ],
        settings: Options.flags,
        handlesSignals: true,
        run: { try await StatusCommand(invocation: $0, context: $1).run() })
}

@LoopActor
struct StatusCommand {
    let invocation: Invocation
    let context: CommandContext

    /// The pause between two screens: short enough to follow pages as they are made, while gathering the status takes only a few
    /// hundredths of a second.
    private static let rhythm: Duration = .seconds(2)

    func run() async throws -> ExitCode {
        if invocation.has("watch") {
            guard !invocation.has("json") else {
                throw CommandFailure(.usage, "--watch is for a terminal and --json for programs; drop one of them")
            }
            guard context.output.terminal.showsResults, !context.output.terminal.isDumb else {
                throw CommandFailure(.usage, "--watch needs a terminal; '\(woodshed("status"))' prints once")
            }
            return try await watch()
        }
        // Signals are blocked because --watch waits for them. Without --watch, they should simply end the command.
        Signals.unblock([SIGINT, SIGTERM, SIGHUP])
        let configuration = try await context.configurationToRead(invocation)
        let home = try OpenHome(configuration, for: .reading, context)
        defer { home.close() }
        context.give(try await gather(home, by: try await home.renderer()), to: invocation)
        return configuration.faults.isEmpty ? .fine : .configuration
    }

    private func watch() async throws -> ExitCode {
        let ending = Ending(output: context.output)
        let configuration = try await context.configurationToRead(invocation)
        let first = try OpenHome(configuration, for: .reading, context)
        defer { first.close() }
        let renderer = try await first.renderer()
        let screen = LiveScreen(context.output) { ending.end(.fine) }
        let failure = Failure()
        let drawing = spawn {
            var home = first
            defer { home.close() }
            while !ending.isOver {
                do {
                    // If the catalogue was replaced, open the new one. While there is no new one yet, the former one is shown.
                    if !home.library.isInPlace, let next = try? OpenHome(configuration, for: .reading, context) {
                        home.close()
                        home = next
                    }
                    let status = try await gather(home, by: renderer)
                    guard !ending.isOver else { return }
                    screen.show { status.lines(width: $1, rows: $0, isColored: !context.output.terminal.isPlain) }
                } catch {
                    failure.error = error
                    return ending.end(CommandFailure(of: error).code)
                }
                try? await context.clock.sleep(for: Self.rhythm)
            }
        }
        let code = await ending.wait()
        screen.end()
        drawing.cancel()
        await drawing.value
        if let error = failure.error { throw error }
        return code
    }

    /// The error that ended the drawing of the screen, if any.
    @LoopActor
    private final class Failure {
        var error: (any Error)?
    }

    private func gather(_ home: OpenHome, by renderer: RendererIdentity) async throws -> Status {
        let agent = await AgentAnswer(of: home.configuration.paths)
        let plans = try home.wants.listedPlans(now: home.now)
        let report = try await home.readiness(of: plans, by: renderer, isThorough: false, agent)
        return Status(
            verdict: ReadinessVerdict(
                report: report, maxAge: ReadinessVerdict.defaultMaxAge, mistake: home.configuration.mistake),
            cache: try CacheState(of: await home.cache.survey(), home.keeper), agent: agent,
            names: Dictionary(report.plans.flatMap(\.charts).compactMap { chart in chart.hash.map { ($0, chart.displayName) } }) {
                first, _ in first
            }, saved: try home.library.charts.savedCharts(), fullDisk: home.library.fullDisk)
    }
}
