import Freshness
import Library
import Model
import Platform
import Rendering

extension Agent {
    /// Has the pages counted of every chart of the coming plans that this renderer has not looked at.
    ///
    /// It does not wait: a PDF may hang for as long as the limit allows, and what is known by then is rendered meanwhile.
    /// Each description is a hint of its own.
    func beginDescriptions(tag: RendererTag) throws(LibraryError) {
        for contents in try parts.library.plans() where contents.plan.isComing(at: now, ahead: settings.ahead) {
            for attachment in contents.attachments {
                guard let chart = try parts.library.chart(of: attachment.id), !descriptions.isUnderWay(chart.hash),
                    charts.misfortunes(of: chart.hash) < Self.mostMisfortunes, try parts.library.hasBytes(of: chart.hash),
                    try parts.library.description(of: chart.hash) == nil, try parts.library.unreadable(chart.hash)?.tag != tag
                else { continue }
                descriptions.begin(chart.hash) { [self] in
                    await describe(chart.hash, tag: tag)
                    reconcile()
                }
            }
        }
    }

    /// How often a chart or page may take the renderer down before it is left alone until the next start. Once may be
    /// the machine's doing: short of memory, or killed with everything else.
    static let mostMisfortunes = 2

    private func describe(_ hash: ChartHash, tag: RendererTag) async {
        do {
            let path = parts.library.path(of: hash)
            try charts.check(hash, at: path)
            let description = try await parts.renderer.describe(chart: path)
            for warning in description.warnings { parts.log.warning("chart \(hash.digest.shortHex): \(warning)") }
            try parts.library.setDescription(description.pages, of: hash, by: tag)
        } catch RenderFailure.stopped, RenderFailure.cancelled {
            // The end has begun; it is still due.
        } catch let failure as RenderFailure where failure.isLasting {
            parts.log.warning("chart \(hash.digest.shortHex): \(failure)")
            do {
                try parts.library.setUnreadable(failure.description, of: hash, by: tag)
            } catch {
                parts.log.error("\(error)")
            }
        } catch let changed as ChartCondition.Changed {
            parts.log.warning("\(changed)")
        } catch {
            charts.noteMisfortune(of: hash, "\(error)")
            parts.log.warning("chart \(hash.digest.shortHex): \(error)")
        }
    }
}

/// The descriptions that are being made.
@LoopActor
final class Descriptions {
    private var underWay: Set<ChartHash> = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    var isIdle: Bool { underWay.isEmpty }

    func isUnderWay(_ hash: ChartHash) -> Bool { underWay.contains(hash) }

    func begin(_ hash: ChartHash, _ body: @escaping @Sendable @LoopActor () async -> Void) {
        underWay.insert(hash)
        spawn { [self] in
            await body()
            underWay.remove(hash)
            guard isIdle else { return }
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    /// Waits until none is under way.
    func idle() async {
        await withCheckedContinuation { continuation in
            if isIdle { continuation.resume() } else { waiters.append(continuation) }
        }
    }
}
