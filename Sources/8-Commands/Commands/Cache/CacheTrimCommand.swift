import Agent
import CommandLine
import Configuration
import Freshness
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform

/// If an agent runs, the agent does the work, since only one process at a time removes images.
@LoopActor
struct CacheTrimCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let isDry = invocation.has("dry-run")
        let size: ByteCount? = invocation.value("to")
        let configuration = try context.configuration(invocation)
        guard !isDry else { return try await trim(try OpenHome(configuration, for: .reading, context), to: size, isDry: true) }
        let code = try await OtherCommand(configuration.paths, context).awaited { try await self.trim(configuration, to: size) }
        return code ?? .failed
    }

    private func trim(_ configuration: Configuration, to size: ByteCount?) async throws -> ExitCode {
        if let agent = ControlClient.find(configuration.paths, clock: context.clock) {
            let query = (size.map { [("to", "\($0.bytes)")] } ?? []) + (invocation.has("json") ? [("json", "1")] : [])
            return try await agent.command("/v1/trim", query: query).tell(on: context.output)
        }
        if let failure = ControlClient.lost(configuration.paths) { throw failure }
        return try await trim(try OpenHome(configuration, for: .changing, context), to: size, isDry: false)
    }

    private func trim(_ home: OpenHome, to size: ByteCount?, isDry: Bool) async throws -> ExitCode {
        defer { home.close() }
        let renderer = try await home.renderer()
        let trim = CacheTrim(keeper: home.keeper, to: size, isDry: isDry, asJSON: invocation.has("json"))
        return try await trim.run(by: renderer, uses: try home.uses(by: renderer), context.output)
    }
}

/// A trim that the user asked for, whichever process carries it out.
@LoopActor
struct CacheTrim {
    let keeper: CacheKeeper
    /// The size that the images are trimmed to; if `nil`, the usual limits apply.
    let to: ByteCount?
    let isDry: Bool
    let asJSON: Bool

    /// Carries it out, and prints what was removed.
    func run(by renderer: RendererIdentity, uses: ImageUses, _ output: Output) async throws -> ExitCode {
        let decision = try await decide(renderer)
        let report = isDry ? nil : await keeper.carryOut(decision)
        let outcome = TrimOutcome(decision, report, uses: uses)
        if asJSON { output.result(outcome, as: TrimOutcome.form) } else { outcome.print(on: output) }
        return outcome.isEnough ? .fine : .notReady
    }

    private func decide(_ renderer: RendererIdentity) async throws -> TrimDecision {
        if let to {
            return try await keeper.decide(by: renderer, limits: CacheLimits(bytes: to, leastFree: ByteCount(0)), isExact: true)
        }
        return try await keeper.decide(by: renderer, limits: keeper.limits(on: try keeper.disk()))
    }
}

@LoopActor
struct CacheClearCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let chart: String? = invocation.value("chart")
        let plan: String? = invocation.value("plan")
        guard chart == nil || plan == nil else {
            throw CommandFailure(.usage, "--chart and --plan cannot be used together; drop one of them")
        }
        let configuration = try context.configuration(invocation)
        let opened = try await OtherCommand(configuration.paths, context).awaited {
            try OpenHome(configuration, for: .changing, self.context)
        }
        guard let home = opened else { return .failed }
        defer { home.close() }
        let choice = try choose(chart: chart, plan: plan, home)
        let outcome = try await clear(choice, home)
        context.tell(outcome, as: ClearOutcome.form, to: invocation) { outcome.print(on: context.output) }
        return outcome.failures.isEmpty ? .fine : .notReady
    }

    private func choose(chart: String?, plan: String?, _ home: OpenHome) throws -> ClearChoice {
        if let chart {
            let found = try ChartFinder(home.library).find(chart)
            return ClearChoice(what: found.description, charts: [found.hash])
        }
        if let plan {
            let plans = try home.library.plans.all()
            let found = try PlanFinder(home.library, now: home.now).findHere(plan)
            return try ClearChoice(of: found, among: plans, kept: home.wants.plans(now: home.now)) { use in
                try home.library.charts.chart(of: use)?.hash
            }
        }
        return ClearChoice(what: "the whole cache")
    }

    private func clear(_ choice: ClearChoice, _ home: OpenHome) async throws -> ClearOutcome {
        // The keeper records in the library what happens to images, so it must exist before any is removed.
        let keeper = home.keeper
        let report = if let charts = choice.charts { await home.cache.clear(charts: charts) } else { try await home.cache.clear() }
        keeper.flush()
        var again: Int?
        do {
            let gone = Set(report.removed)
            again = try home.uses(by: try await home.renderer()).wanted.images.count { gone.contains($0.name) }
        } catch {
            context.output.warning(CommandFailure(of: error).message.printable)
        }
        return ClearOutcome(choice: choice, removed: report.removed.count, freed: report.freed, failures: report.failed, again: again)
    }
}
