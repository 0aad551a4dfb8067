import Catalogue
import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Rendering

/// Has the pages of new charts counted, and remembers the charts where this failed.
@LoopActor
final class ChartCounter {
    private let core: AgentCore
    private var underWay: Set<ChartHash> = []
    private let waiters = Waiters()
    /// Charts that crashed the renderer in this run.
    private var misfortunes = Retries<ChartHash, String>()
    /// The charts that were read again in this run, for their links and outlines.
    private var readAgain: Set<ChartHash> = []
    /// Charts whose counting is postponed.
    private(set) var uncounted = UncountedCharts()

    init(_ core: AgentCore) { self.core = core }

    var isIdle: Bool { underWay.isEmpty }
    var running: Int { underWay.count }

    func idle() async { await waiters.wait { isIdle } }

    /// When the next postponed chart may be tried.
    var next: Moment? { uncounted.next(after: core.time.now) }

    /// Lets postponed charts be tried now. If a person requested it (`isAsked`), they are treated as if they had never failed.
    func hurry(isAsked: Bool) {
        if isAsked { misfortunes = Retries() }
        uncounted.hurry(at: core.time.now, isAsked: isAsked)
    }

    /// The charts that are not tried again in this run, and why.
    var leftAlone: [ChartHash: String] {
        misfortunes.entries.filter { $0.value.times >= RenderFailure.mostMisfortunes }.mapValues(\.reason)
    }

    /// Has the pages of these plans' charts counted, except charts that this renderer has already examined.
    ///
    /// Does not wait for the results: a PDF may hang until the time limit, and the charts counted by then are rendered in the
    /// meantime. Each description that arrives starts another reconcile run.
    func count(_ plans: [PlanContents], tag: RendererTag) throws(LibraryError) {
        if uncounted.lackedRoom, let free = freeInLibrary { uncounted.noteRoom(free, at: core.time.now) }
        var due: Set<ChartHash> = []
        let counted = try core.library.charts.counted()
        for contents in plans {
            for attachment in contents.attachments where counted[attachment.use] == nil {
                guard let chart = try core.library.charts.chart(of: attachment.use), try core.library.charts.hasBytes(of: chart.hash),
                    try core.library.charts.description(of: chart.hash) == nil,
                    try core.library.charts.unreadable(chart.hash)?.tag != tag, try reasonNotToDescribe(chart.hash, by: tag) == nil
                else { continue }
                due.insert(chart.hash)
                if !underWay.contains(chart.hash), uncounted.mayTry(chart.hash, at: core.time.now) { begin(chart.hash, tag: tag) }
            }
        }
        uncounted.keep(due)
    }

    private func begin(_ hash: ChartHash, tag: RendererTag) {
        underWay.insert(hash)
        spawn { [self] in
            if await describe(hash, tag: tag) { core.look.patiently() }
            underWay.remove(hash)
            if isIdle { waiters.wake() }
        }
    }

    private var freeInLibrary: ByteCount? { try? DiskSpace.of(core.library.folder).free }

    /// Why a chart is not to be counted; `nil` if it may be.
    func reasonNotToDescribe(_ hash: ChartHash, by tag: RendererTag) throws(LibraryError) -> String? {
        if let fault = try core.library.images.fault(of: hash), fault.tag == tag, fault.isFinal { return fault.reason }
        return misfortunes[hash].flatMap { $0.times >= RenderFailure.mostMisfortunes ? $0.reason : nil }
    }

    /// Counts a chart's pages. Returns whether to reconcile again: not after the renderer was stopped, since the next try would end
    /// the same way.
    private func describe(_ hash: ChartHash, tag: RendererTag) async -> Bool {
        do {
            let path = core.library.charts.path(of: hash)
            try core.library.charts.check(hash)
            let description = try await core.sideWork.run { [core] in try await core.renderer.describe(chart: path) }
            try note(description, of: hash, by: tag)
        } catch RenderFailure.stopped {
            // The agent began to stop; the chart is still to be counted.
            return false
        } catch RenderFailure.cancelled {
            // The chart is still to be counted.
        } catch let error as LibraryError where error.isOfChangedChart {
            core.log.warning("\(error)")
        } catch {
            remember(error, of: hash, tag: tag)
        }
        return true
    }

    /// Reads the links and the outline of a chart that was described before these were read, once in each run. Returns whether it has any.
    func findPlaces(in hash: ChartHash) async throws -> Bool {
        guard try core.library.charts.places(in: hash) == nil, try core.library.charts.hasBytes(of: hash), !underWay.contains(hash),
            readAgain.insert(hash).inserted
        else { return false }
        let path = core.library.charts.path(of: hash)
        let description = try await core.sideWork.run { [core] in try await core.renderer.describe(chart: path) }
        try core.library.charts.setPlaces(description.places ?? ChartPlaces(), in: hash)
        return description.places != nil
    }

    /// Stores a renderer's description of a chart.
    func note(_ description: ChartDescription, of hash: ChartHash, by tag: RendererTag) throws(LibraryError) {
        try core.library.charts.setDescription(
            StoredDescription(
                pages: description.pages, fontsNotEmbedded: description.fontsNotEmbedded, hasImages: description.hasImages,
                places: description.places ?? ChartPlaces()),
            of: hash, by: tag)
        try core.library.images.note(lostContent: description.missingPages, on: PageIndex(description.pages.count), of: hash)
        uncounted.forget(hash)
        // Log warnings here: once, not at every try.
        for warning in description.warnings { core.log.warning("\(core.library.title(of: hash)): \(warning)") }
        tellFonts(of: description, hash)
    }

    private func remember(_ error: any Error, of hash: ChartHash, tag: RendererTag) {
        guard let failure = error as? RenderFailure, failure.isLasting || failure.tookTheRendererDown else {
            // The disk, the catalogue or the renderer's program failed, which proves nothing about the chart.
            return putOff(hash, because: "\(error)")
        }
        core.log.warning("\(core.library.title(of: hash)): \(failure)")
        do throws(LibraryError) {
            if failure.isLasting { return try core.library.charts.setUnreadable(failure.description, of: hash, by: tag) }
            // Limit the tries in this run even if the library cannot be written.
            misfortunes.note("\(failure)", of: hash, at: core.time.now)
            let former = try core.library.images.fault(of: hash).flatMap { $0.tag == tag ? $0.tries : nil } ?? 0
            try core.library.images.setFault(
                RenderFault(
                    chart: hash, image: nil, tag: tag, reason: "\(failure)", tries: former + 1,
                    isFinal: former + 1 >= RenderFailure.mostMisfortunes, at: core.now))
        } catch {
            // The failure has been logged; try the chart again once the result can be recorded.
            putOff(hash, because: "\(error)")
        }
    }

    /// Postpones a chart. Logs each reason once, not at every try.
    private func putOff(_ hash: ChartHash, because reason: String) {
        guard uncounted.note(reason, of: hash, at: core.time.now, free: freeInLibrary) else { return }
        core.log.warning("\(core.library.title(of: hash)): its pages could not be counted; it will be tried again: \(reason)")
    }

    private func tellFonts(of description: ChartDescription, _ hash: ChartHash) {
        // Do not warn of the base fonts, which every machine has.
        guard let fonts = description.fontsNotEmbedded?.filter({ !Self.isBase($0) }), !fonts.isEmpty else { return }
        let some = fonts.prefix(5).joined(separator: ", ") + (fonts.count > 5 ? " and \(fonts.count - 5) more" : "")
        let are = fonts.count == 1 ? "font \(some) is" : "fonts \(some) are"
        core.log.warning("\(core.library.title(of: hash)): \(are) not embedded: the page is shown in this machine's fonts")
    }

    /// Whether a font is one of the fourteen that every PDF reader must have, or a replacement for one.
    private static func isBase(_ font: String) -> Bool {
        ["Courier", "Helvetica", "Times-", "Symbol", "ZapfDingbats"].contains { font.hasPrefix($0) }
    }
}

/// Charts whose pages could not be counted for reasons outside the charts: a full disk, a read-only catalogue, a renderer that does
/// not start. They are retried at growing intervals.
struct UncountedCharts {
    private var charts = Retries<ChartHash, String>()
    /// For charts that failed while the library's disk was almost full: the free space at that time.
    private var rooms: [ChartHash: ByteCount] = [:]

    /// With more than this free, the disk was not the reason.
    private static let littleRoom = 16 << 20
    /// This much additional free space is worth another try.
    private static let someRoom = 1 << 20

    /// The reasons, and how many charts each affected.
    var reasons: [String: Int] { charts.entries.values.reduce(into: [:]) { $0[$1.reason, default: 0] += 1 } }
    var byChart: [ChartHash: String] { charts.entries.mapValues(\.reason) }

    func reason(of chart: ChartHash) -> String? { charts[chart]?.reason }

    func mayTry(_ chart: ChartHash, at now: Moment) -> Bool { charts.mayTry(chart, at: now) }

    /// When the next postponed chart may be tried.
    func next(after now: Moment) -> Moment? { charts.next(after: now) }

    /// Notes a failure, and returns whether the reason is new. The second try follows immediately, later ones after growing pauses.
    mutating func note(_ reason: String, of chart: ChartHash, at now: Moment, free: ByteCount?) -> Bool {
        rooms[chart] = free.flatMap { $0.bytes < Self.littleRoom ? $0 : nil }
        return charts.note(reason, of: chart, at: now, free: 1)
    }

    mutating func forget(_ chart: ChartHash) {
        charts.forget(chart)
        rooms[chart] = nil
    }

    /// Forgets all charts but these.
    mutating func keep(_ due: Set<ChartHash>) {
        charts.keep { due.contains($0) }
        if !rooms.isEmpty { rooms = rooms.filter { due.contains($0.key) } }
    }

    /// Lets all postponed charts be tried now. If a person requested it, their pauses start again from the shortest.
    mutating func hurry(at now: Moment, isAsked: Bool) { charts.hurry(at: now, isAsked: isAsked) }

    /// Whether any chart failed while the disk was almost full.
    var lackedRoom: Bool { !rooms.isEmpty }

    /// Lets charts that failed for lack of space be tried now if at least `someRoom` more is free than at that time.
    mutating func noteRoom(_ free: ByteCount, at now: Moment) {
        for (chart, room) in rooms where free.bytes >= room.bytes + Self.someRoom {
            charts.hurry(chart, at: now)
            rooms[chart] = free.bytes < Self.littleRoom ? free : nil
        }
    }
}
