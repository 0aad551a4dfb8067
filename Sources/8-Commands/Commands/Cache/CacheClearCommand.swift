import Agent
import CommandLine
import Configuration
import Freshness
import Host
import Keeping
import Library
import Model
import PageCache
import Platform
import Reports

/// What `woodshed cache clear` does.
@LoopActor
struct CacheClearCommand {
    private let invocation: Invocation
    private let context: CommandContext

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.invocation = invocation
        self.context = context
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let chart: String? = invocation.value("chart")
        let plan: String? = invocation.value("plan")
        guard chart == nil || plan == nil else {
            throw CommandFailure(.usage, "--chart and --plan cannot be used together; drop one of them")
        }
        let holdings = try Holdings(try context.configuration(invocation), for: .changing, context)
        defer { holdings.close() }
        let outcome: ClearOutcome
        do {
            let choice = try choose(chart: chart, plan: plan, holdings)
            outcome = try await clear(choice, holdings)
        } catch {
            throw CommandFailure(of: error)
        }
        if invocation.has("json") { context.output.result(outcome, as: ClearOutcome.form) } else { outcome.print(on: context.output) }
        return outcome.failures.isEmpty ? .fine : .notReady
    }

    private func choose(chart: String?, plan: String?, _ holdings: Holdings) throws -> ClearChoice {
        if let chart {
            let found = try ChartFinder(holdings.library).findOrExplain(chart)
            return ClearChoice(what: found.description, charts: [found.hash])
        }
        if let plan {
            let plans = try holdings.library.plans.all()
            let found = try PlanFinder(plans.map(\.plan), now: holdings.now).findOrExplain(plan)
            return try ClearChoice(of: found, among: plans, kept: holdings.wants.plans(now: holdings.now)) { use in
                try holdings.library.charts.chart(of: use)?.hash
            }
        }
        return ClearChoice(what: "the whole cache")
    }

    private func clear(_ choice: ClearChoice, _ holdings: Holdings) async throws -> ClearOutcome {
        // The keeper records in the library what happens to images, so it must exist before any is removed.
        let keeper = holdings.keeper
        let report = if let charts = choice.charts { await holdings.cache.clear(charts: charts) } else { try await holdings.cache.clear() }
        keeper.flush()
        var again: Int?
        do throws(CommandFailure) {
            let gone = Set(report.removed)
            again = try holdings.uses(by: try await holdings.renderer()).wanted.images.count { gone.contains($0.name) }
        } catch {
            context.output.warning(error.message.printable)
        }
        return ClearOutcome(choice: choice, removed: report.removed.count, freed: report.freed, failures: report.failed, again: again)
    }
}
