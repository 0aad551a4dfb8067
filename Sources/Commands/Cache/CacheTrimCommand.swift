import Agent
import Freshness
import Model
import PageCache
import Platform

/// What `woodshed cache trim` does.
@LoopActor
struct CacheTrimCommand {
    private let invocation: Invocation
    private let context: CommandContext

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.invocation = invocation
        self.context = context
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let isDry = invocation.has("dry-run")
        let holdings = try Holdings(try context.configuration(invocation), for: isDry ? .reading : .changing, context)
        defer { holdings.close() }
        let renderer = try await holdings.renderer()
        let uses = try holdings.uses(by: renderer)
        let outcome: TrimOutcome
        do {
            let decision = try await decide(renderer, holdings.keeper)
            let report = isDry ? nil : await holdings.keeper.carryOut(decision)
            outcome = TrimOutcome(decision, report, uses: uses)
        } catch {
            throw CommandFailure(of: error)
        }
        if invocation.has("json") { context.output.result(json: outcome.json) } else { outcome.print(on: context.output) }
        return outcome.isEnough ? .fine : .notReady
    }

    private func decide(_ renderer: RendererIdentity, _ keeper: CacheKeeper) async throws -> TrimDecision {
        if let size: ByteCount = invocation.value("to") {
            return try await keeper.decide(
                by: renderer, limits: CacheLimits(bytes: size, leastFree: ByteCount(0)), isExact: true)
        }
        return try await keeper.decide(by: renderer, limits: keeper.limits(on: try keeper.disk()))
    }
}
