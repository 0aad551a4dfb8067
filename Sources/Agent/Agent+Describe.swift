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
        for contents in try plansInScope() {
            for attachment in contents.attachments {
                guard let chart = try parts.library.chart(of: attachment.id), !descriptions.isUnderWay(chart.hash),
                    try parts.library.hasBytes(of: chart.hash), try parts.library.description(of: chart.hash) == nil,
                    try parts.library.unreadable(chart.hash)?.tag != tag, try reasonNotToDescribe(chart.hash, by: tag) == nil
                else { continue }
                descriptions.begin(chart.hash) { [self] in
                    await describe(chart.hash, tag: tag)
                    reconcile()
                }
            }
        }
    }

    /// How often a chart or page may take the renderer down before it is left alone, in this run and later ones. Once may be
    /// the machine's doing: short of memory, or killed with everything else.
    static let mostMisfortunes = 2

    /// Why a chart is left alone, if it is.
    func reasonNotToDescribe(_ hash: ChartHash, by tag: RendererTag) throws(LibraryError) -> String? {
        if let fault = try parts.library.fault(of: hash), fault.tag == tag, fault.isFinal { return fault.reason }
        return charts.reasonToLeaveAlone(hash, after: Self.mostMisfortunes)
    }

    private func describe(_ hash: ChartHash, tag: RendererTag) async {
        do {
            let path = parts.library.path(of: hash)
            try charts.check(hash, at: path)
            let description = try await odds.run { [parts] in try await parts.renderer.describe(chart: path) }
            for warning in description.warnings { parts.log.warning("\(parts.library.title(of: hash)): \(warning)") }
            tellFonts(of: description, hash)
            try parts.library.setDescription(
                StoredDescription(
                    pages: description.pages, fontsNotEmbedded: description.fontsNotEmbedded, hasImages: description.hasImages),
                of: hash, by: tag)
        } catch RenderFailure.stopped, RenderFailure.cancelled {
            // The end has begun; it is still due.
        } catch let changed as ChartCondition.Changed {
            parts.log.warning("\(changed)")
        } catch {
            parts.log.warning("\(parts.library.title(of: hash)): \(error)")
            do {
                try remember(error, of: hash, tag: tag)
            } catch {
                parts.log.error("\(error)")
            }
        }
    }

    private func remember(_ error: any Error, of hash: ChartHash, tag: RendererTag) throws(LibraryError) {
        let failure = error as? RenderFailure
        if let failure, failure.isLasting {
            try parts.library.setUnreadable(failure.description, of: hash, by: tag)
            return
        }
        // Whatever it was, it must not be tried for ever in this run, also when the library cannot be written.
        charts.noteMisfortune(of: hash, "\(error)")
        guard failure?.tookTheRendererDown == true else { return }
        let former = try parts.library.fault(of: hash).flatMap { $0.tag == tag ? $0.tries : nil } ?? 0
        try parts.library.setFault(
            RenderFault(
                chart: hash, image: nil, tag: tag, reason: "\(error)", tries: former + 1, isFinal: former + 1 >= Self.mostMisfortunes,
                at: now))
    }

    private func tellFonts(of description: ChartDescription, _ hash: ChartHash) {
        guard let fonts = description.fontsNotEmbedded, !fonts.isEmpty else { return }
        let some = fonts.prefix(5).joined(separator: ", ") + (fonts.count > 5 ? " and \(fonts.count - 5) more" : "")
        let are = fonts.count == 1 ? "font \(some) is" : "fonts \(some) are"
        parts.log.warning("\(parts.library.title(of: hash)): \(are) not embedded: the page looks as this machine's fonts do")
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
