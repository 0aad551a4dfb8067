import Catalogue
import Freshness
import Keeping
import Library
import Model
import PageCache
import Platform
import Rendering

/// Has the pages of new charts counted, and remembers the charts where that failed.
@LoopActor
final class ChartCounter {
    private let parts: Agent.Parts
    private let work: YieldingWork
    private let look: LookAnew
    private let underWay = Descriptions()
    private var misfortunes: [ChartHash: (count: Int, reason: String)] = [:]
    /// Charts that are to be counted later.
    private(set) var uncounted = UncountedCharts()

    /// `work` gives way to whoever looks at a page.
    init(_ parts: Agent.Parts, work: YieldingWork, look: LookAnew) {
        self.parts = parts
        self.work = work
        self.look = look
    }

    var isIdle: Bool { underWay.isIdle }
    /// How many charts are being counted.
    var running: Int { underWay.count }

    /// Waits until no chart is being counted.
    func idle() async { await underWay.idle() }

    /// When the next of the charts that could not be counted may be tried.
    var next: Moment? { uncounted.next(after: parts.time.now) }

    /// Lets charts that could not be counted be tried again. If a person asked for it, as if it had never failed.
    func hurry(isAsked: Bool) {
        if isAsked { misfortunes = [:] }
        uncounted.hurry(at: parts.time.now, isAsked: isAsked)
    }

    /// The charts that are left alone in this run, and why.
    var leftAlone: [ChartHash: String] {
        misfortunes.filter { $0.value.count >= RenderFailure.mostMisfortunes }.mapValues(\.reason)
    }

    /// Has the pages counted of every chart of these plans that this renderer has not looked at.
    ///
    /// It does not wait: a PDF may hang for as long as the limit allows, and what is known by then is rendered meanwhile. Each
    /// description that arrives is a hint.
    func count(_ plans: [PlanContents], tag: RendererTag) throws(LibraryError) {
        if uncounted.lackedRoom, let free = freeInLibrary { uncounted.noteRoom(free, at: parts.time.now) }
        var due: Set<ChartHash> = []
        let counted = try parts.library.charts.counted()
        for contents in plans {
            for attachment in contents.attachments where counted[attachment.use] == nil {
                guard let chart = try parts.library.charts.chart(of: attachment.use), try parts.library.charts.hasBytes(of: chart.hash),
                    try parts.library.charts.description(of: chart.hash) == nil,
                    try parts.library.charts.unreadable(chart.hash)?.tag != tag, try reasonNotToDescribe(chart.hash, by: tag) == nil
                else { continue }
                due.insert(chart.hash)
                guard !underWay.isUnderWay(chart.hash), uncounted.mayTry(chart.hash, at: parts.time.now) else { continue }
                underWay.begin(chart.hash) { [self] in
                    if await describe(chart.hash, tag: tag) { look.patiently() }
                }
            }
        }
        uncounted.keep(due)
    }

    private var freeInLibrary: ByteCount? { try? DiskSpace.of(parts.library.folder).free }

    /// Why a chart is left alone, if it is.
    func reasonNotToDescribe(_ hash: ChartHash, by tag: RendererTag) throws(LibraryError) -> String? {
        if let fault = try parts.library.images.fault(of: hash), fault.tag == tag, fault.isFinal { return fault.reason }
        return misfortunes[hash].flatMap { $0.count >= RenderFailure.mostMisfortunes ? $0.reason : nil }
    }

    /// Answers whether to look again: a renderer that was stopped would only give the same answer.
    private func describe(_ hash: ChartHash, tag: RendererTag) async -> Bool {
        do {
            let path = parts.library.charts.path(of: hash)
            try parts.library.charts.check(hash)
            let description = try await work.run { [parts] in try await parts.renderer.describe(chart: path) }
            try note(description, of: hash, by: tag)
        } catch RenderFailure.stopped {
            // The agent has begun to stop; the chart is still due.
            return false
        } catch RenderFailure.cancelled {
            // The chart is still due.
        } catch let error as LibraryError where error.isOfChangedChart {
            parts.log.warning("\(error)")
        } catch {
            remember(error, of: hash, tag: tag)
        }
        return true
    }

    /// Keeps what a renderer found out about a chart.
    func note(_ description: ChartDescription, of hash: ChartHash, by tag: RendererTag) throws(LibraryError) {
        try parts.library.charts.setDescription(
            StoredDescription(
                pages: description.pages, fontsNotEmbedded: description.fontsNotEmbedded, hasImages: description.hasImages),
            of: hash, by: tag)
        try parts.library.images.note(lostContent: description.missingPages, on: PageIndex(description.pages.count), of: hash)
        uncounted.forget(hash)
        // Here, so that they are given once and not at every try.
        for warning in description.warnings { parts.log.warning("\(parts.library.title(of: hash)): \(warning)") }
        tellFonts(of: description, hash)
    }

    private func remember(_ error: any Error, of hash: ChartHash, tag: RendererTag) {
        guard let failure = error as? RenderFailure, failure.isLasting || failure.tookTheRendererDown else {
            // The disk, the catalogue or the renderer's program failed: that says nothing about the chart.
            return putOff(hash, because: "\(error)")
        }
        parts.log.warning("\(parts.library.title(of: hash)): \(failure)")
        do throws(LibraryError) {
            if failure.isLasting { return try parts.library.charts.setUnreadable(failure.description, of: hash, by: tag) }
            // It must not be tried for ever in this run, even if the library cannot be written.
            misfortunes[hash] = ((misfortunes[hash]?.count ?? 0) + 1, "\(failure)")
            let former = try parts.library.images.fault(of: hash).flatMap { $0.tag == tag ? $0.tries : nil } ?? 0
            try parts.library.images.setFault(
                RenderFault(
                    chart: hash, image: nil, tag: tag, reason: "\(failure)", tries: former + 1,
                    isFinal: former + 1 >= RenderFailure.mostMisfortunes, at: parts.now))
        } catch {
            // The failure is still reported to whoever asks; the chart is tried again once the result can be written down.
            putOff(hash, because: "\(error)")
        }
    }

    /// Has a chart tried again later. Reported once, not at every try.
    private func putOff(_ hash: ChartHash, because reason: String) {
        guard uncounted.note(reason, of: hash, at: parts.time.now, free: freeInLibrary) else { return }
        parts.log.warning("\(parts.library.title(of: hash)): its pages could not be counted; it will be tried again: \(reason)")
    }

    private func tellFonts(of description: ChartDescription, _ hash: ChartHash) {
        guard let fonts = description.fontsNotEmbedded, !fonts.isEmpty else { return }
        let some = fonts.prefix(5).joined(separator: ", ") + (fonts.count > 5 ? " and \(fonts.count - 5) more" : "")
        let are = fonts.count == 1 ? "font \(some) is" : "fonts \(some) are"
        parts.log.warning("\(parts.library.title(of: hash)): \(are) not embedded: the page is shown in this machine's fonts")
    }
}

/// The descriptions that are being made.
@LoopActor
final class Descriptions {
    private var underWay: Set<ChartHash> = []
    private let waiters = Waiters()

    nonisolated init() {}

    var isIdle: Bool { underWay.isEmpty }
    var count: Int { underWay.count }

    func isUnderWay(_ hash: ChartHash) -> Bool { underWay.contains(hash) }

    func begin(_ hash: ChartHash, _ body: @escaping @Sendable @LoopActor () async -> Void) {
        underWay.insert(hash)
        spawn { [self] in
            await body()
            underWay.remove(hash)
            if isIdle { waiters.wake() }
        }
    }

    /// Waits until none is being made.
    func idle() async {
        await waiters.wait { isIdle }
    }
}
