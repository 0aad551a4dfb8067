import Keeping
import Library
import Marks
import Model
import Platform
public import Readiness
import Rendering
import Sync

extension Agent {
    /// Whether everything this agent works for is ready, with every byte checked: the same that `ReadinessCheck` answers without an
    /// agent.
    ///
    /// What it finds damaged is made or fetched again, so it should be called when everything else is done.
    public func readiness() async throws -> ReadinessReport {
        let report = try await check()
        let lacks = report.plans.flatMap(\.charts).flatMap(\.lacks)
        let isChartDamaged = lacks.contains { if case .fileChanged = $0 { true } else { false } }
        guard isChartDamaged || lacks.contains(where: { if case .damaged = $0 { true } else { false } }) else { return report }
        if isChartDamaged, offlineSince == nil { _ = await poll() }
        // The check has removed the damaged images.
        reconcile()
        await settled()
        return try await check()
    }

    private func check() async throws -> ReadinessReport {
        let renderer = try await parts.renderer.identity()
        let check = ReadinessCheck(
            library: parts.library, cache: parts.cache, wants: wants, keeper: keeper, renderer: renderer, marks: settings.marks.roots)
        return try await check.report(
            of: wants.listedPlans(in: settings.scope, now: parts.now),
            ReadinessCheck.Circumstances(
                now: parts.now, isThorough: true,
                refusals: Dictionary(polling.downloads.refused.all.map { ($0.attachment, $0.setback.message) }) { first, _ in first },
                uncounted: counter.uncounted.byChart, asked: settings.asked))
    }
}
