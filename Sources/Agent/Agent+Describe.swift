import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// Has the pages counted of every chart of the coming plans that this renderer has not looked at.
    ///
    /// It does not wait: a PDF may hang for as long as the limit allows, and what is known by then is rendered meanwhile.
    /// Each description is a hint of its own.
    func beginDescriptions(tag: RendererTag) throws(LibraryError) {
        if charts.uncounted.lackedRoom, let free = freeInLibrary { charts.uncounted.noteRoom(free, at: parts.time.now) }
        var due: Set<ChartHash> = []
        let counted = try parts.library.countedCharts()
        for contents in try plansInScope() {
            for attachment in contents.attachments where counted[attachment.use] == nil {
                guard let chart = try parts.library.chart(of: attachment.use), try parts.library.hasBytes(of: chart.hash),
                    try parts.library.description(of: chart.hash) == nil,
                    try parts.library.unreadable(chart.hash)?.tag != tag, try reasonNotToDescribe(chart.hash, by: tag) == nil
                else { continue }
                due.insert(chart.hash)
                guard !descriptions.isUnderWay(chart.hash), charts.uncounted.mayTry(chart.hash, at: parts.time.now) else { continue }
                descriptions.begin(chart.hash) { [self] in
                    if await describe(chart.hash, tag: tag) { reconcilePatiently() }
                }
            }
        }
        charts.uncounted.keep(due)
        // Nothing tells when it has passed.
        let next = [charts.uncounted.next(after: parts.time.now), doubts.next(after: parts.time.now)].compactMap(\.self).min()
        upkeep.count(at: next, parts.time) { [weak self] in self?.reconcile() }
    }

    private var freeInLibrary: ByteCount? { try? DiskSpace.of(parts.library.folder).free }

    /// How often a chart or page may take the renderer down before it is left alone, in this run and later ones. Once may be
    /// the machine's doing: short of memory, or killed with everything else.
    static let mostMisfortunes = 2

    /// Why a chart is left alone, if it is.
    func reasonNotToDescribe(_ hash: ChartHash, by tag: RendererTag) throws(LibraryError) -> String? {
        if let fault = try parts.library.fault(of: hash), fault.tag == tag, fault.isFinal { return fault.reason }
        return charts.reasonToLeaveAlone(hash, after: Self.mostMisfortunes)
    }

    /// Answers whether that is news: a renderer that was stopped would only say so again.
    private func describe(_ hash: ChartHash, tag: RendererTag) async -> Bool {
        do {
            let path = parts.library.path(of: hash)
            try parts.library.check(hash)
            let description = try await odds.run { [parts] in try await parts.renderer.describe(chart: path) }
            try note(description, of: hash, by: tag)
        } catch RenderFailure.stopped {
            // The end has begun; it is still due.
            return false
        } catch RenderFailure.cancelled {
            // It is still due.
        } catch let error as LibraryError where error.isOfChangedChart {
            parts.log.warning("\(error)")
        } catch {
            remember(error, of: hash, tag: tag)
        }
        return true
    }

    /// Keeps what a renderer told of a chart.
    func note(_ description: ChartDescription, of hash: ChartHash, by tag: RendererTag) throws(LibraryError) {
        try parts.library.setDescription(
            StoredDescription(
                pages: description.pages, fontsNotEmbedded: description.fontsNotEmbedded, hasImages: description.hasImages),
            of: hash, by: tag)
        charts.uncounted.forget(hash)
        // Once, and not at every try.
        for warning in description.warnings { parts.log.warning("\(parts.library.title(of: hash)): \(warning)") }
        tellFonts(of: description, hash)
    }

    private func remember(_ error: any Error, of hash: ChartHash, tag: RendererTag) {
        guard let failure = error as? RenderFailure, failure.isLasting || failure.tookTheRendererDown else {
            // The disk, the catalogue, the renderer's program: it says nothing about the chart.
            return putOff(hash, because: "\(error)")
        }
        parts.log.warning("\(parts.library.title(of: hash)): \(failure)")
        do throws(LibraryError) {
            if failure.isLasting { return try parts.library.setUnreadable(failure.description, of: hash, by: tag) }
            // It must not be tried for ever in this run, also when the library cannot be written.
            charts.noteMisfortune(of: hash, "\(failure)")
            let former = try parts.library.fault(of: hash).flatMap { $0.tag == tag ? $0.tries : nil } ?? 0
            try parts.library.setFault(
                RenderFault(
                    chart: hash, image: nil, tag: tag, reason: "\(failure)", tries: former + 1,
                    isFinal: former + 1 >= Self.mostMisfortunes, at: now))
        } catch {
            // What was found out is not lost on whoever asks; it is found out once more when it can be written down.
            putOff(hash, because: "\(error)")
        }
    }

    /// Has a chart tried again later. Told once, not at every try.
    private func putOff(_ hash: ChartHash, because reason: String) {
        guard charts.uncounted.note(reason, of: hash, at: parts.time.now, free: freeInLibrary) else { return }
        parts.log.warning("\(parts.library.title(of: hash)): its pages could not be counted, which is tried again: \(reason)")
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
