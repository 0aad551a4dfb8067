import Agent
import CommandLine
import Freshness
import Keeping
import Model
import PageCache
import Platform
import Reports

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
