import Agent
import CommandLine
import Configuration
import Freshness
import Host
import ImageKeeping
import Library
import Marks
import Model
import Platform
import Readiness

extension Command {
    static let ready = Command(
        name: "ready",
        summary: "Checks whether the next plan is here, complete and playable offline; the exit code says so too",
        details: """
            A plan is ready when every chosen chart is here and unchanged, every page image is here, passes a full check and \
            shows your own marks as last saved, and the service has answered in full recently enough. Otherwise, and if there is no such \
            plan, the code is 3, and what is missing is listed with the reason. The next plan is the one you play next, along with any others that begin within \
            half a day of it or have no time yet. Nothing is made or changed, except that a chart found damaged is noted for the next sync; \
            the network is not used, and an agent may be running. 'woodshed help json ready' lists the names of all that a plan may lack.
            """,
        flags: [
            Flag("plan", "next|ID|all", type: .text, "which plan: the next one (the default), one by id, date or title, or all")
                .offering(.plans(["next", "all"])),
            Flag(
                "max-age", "TIME", type: .duration(.seconds(60)...(.seconds(365 * 86_400))),
                "how long ago the service may last have answered in full; 2 days by default"),
        ],
        json: ReadinessVerdict.form,
        examples: [
            Example("woodshed ready", "Say whether the next plan is ready."),
            Example("woodshed ready --plan all --max-age 12h --json", "Check all upcoming plans and print everything as JSON."),
        ],
        settings: Options.flags,
        run: { try await ReadyCommand(invocation: $0, context: $1).run() })
}

@LoopActor
struct ReadyCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let configuration = try await context.configurationToRead(invocation)
        let home: OpenHome
        do { home = try OpenHome(configuration, for: .reading, context) } catch { throw Self.notReady(error) }
        defer { home.close() }
        let renderer: RendererIdentity
        do { renderer = try await home.renderer() } catch { throw Self.notReady(error) }
        let agent = await AgentAnswer(of: configuration.paths)
        let report = try await home.readiness(of: try plans(home), by: renderer, isThorough: true, agent)
        let maxAge = invocation.value("max-age") ?? ReadinessVerdict.defaultMaxAge
        return context.give(
            ReadinessVerdict(report: report, maxAge: maxAge, agent: agent, mistake: configuration.mistake), to: invocation)
    }

    /// Gives a failure the exit code for "not ready", since no failure may be taken to mean that the plan can be played from here.
    private static func notReady(_ error: any Error) -> CommandFailure {
        CommandFailure(.notReady, "not ready: \(CommandFailure(of: error).message)")
    }

    /// The requested plans. Empty if no plan is upcoming or, for "all", pinned.
    private func plans(_ home: OpenHome) throws -> [PlanContents] {
        let name = invocation.value("plan") ?? "next"
        if name == "all" { return try home.wants.listedPlans(now: home.now) }
        if name == "next" { return try home.nextPlans() }
        let plan: Plan
        do {
            plan = try PlanFinder(home.library, now: home.now).find(name) { !$0.isPast(at: home.now) }
        } catch {
            throw Self.notReady(error)
        }
        return try home.library.plans.allListed().filter { $0.plan.id == plan.id }
    }
}
