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

/// What `woodshed cache stats` does.
@LoopActor
struct CacheStatsCommand {
    private let invocation: Invocation
    private let context: CommandContext

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.invocation = invocation
        self.context = context
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let holdings = try Holdings(try context.configuration(invocation), for: .reading, context)
        defer { holdings.close() }
        let statistics: CacheStatistics
        do {
            statistics = try await gather(holdings)
        } catch {
            throw CommandFailure(of: error)
        }
        if invocation.has("json") {
            context.output.result(statistics, as: CacheStatistics.form)
        } else {
            statistics.print(on: context.output)
        }
        return .fine
    }

    private func gather(_ holdings: Holdings) async throws -> CacheStatistics {
        let entries = await holdings.cache.survey()
        let disk = try holdings.keeper.disk()
        var statistics = CacheStatistics(
            folder: holdings.cache.folder, entries: entries, limits: holdings.keeper.limits(on: disk), disk: disk,
            tally: try holdings.library.images.tally())
        do throws(CommandFailure) {
            statistics.needs = try needs(entries, try await holdings.renderer(), holdings)
        } catch {
            // How many images there are is known all the same.
            statistics.problem = error.message
        }
        return statistics
    }

    private func needs(
        _ entries: [CacheEntry], _ renderer: RendererIdentity, _ holdings: Holdings
    ) throws(CommandFailure) -> CacheStatistics.Needs {
        let uses = try holdings.uses(by: renderer)
        do {
            let keeper = holdings.keeper
            try keeper.recall()
            let withheld = try keeper.admission(of: uses.wanted, present: Set(entries.map(\.name))).withheld.count
            return CacheStatistics.Needs(
                entries: entries, uses: uses, pinned: try holdings.library.plans.pinned(), withheld: withheld,
                reason: withheld > 0 ? keeper.reasonToWithhold(withheld) : nil)
        } catch {
            throw CommandFailure(of: error)
        }
    }
}
