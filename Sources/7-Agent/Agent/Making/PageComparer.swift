import Following
import Glibc
import ImageKeeping
import Library
import Model
import Platform
import Rendering

/// Finds pages with marks that look different since their chart was replaced, and where the music of those marks is now. Reports each page
/// where that is not certain once.
@LoopActor
final class PageComparer {
    private let core: AgentCore
    private let work = Hints()
    /// Pages that cannot be compared in this run. No result is recorded, and the next run tries again.
    private var unknown: Set<PagePair> = []
    /// Charts whose files are missing, which was logged. Their pages are compared when the files arrive.
    private var absent: Set<ChartHash> = []
    /// Former and present charts between which marks cannot be followed in this run.
    private var lost: Set<[ChartHash]> = []
    /// Failures of pages that will be compared again, and of charts between which marks will be followed again.
    private var troubles = Retries<PagePair, String>()
    private var obstacles = Retries<[ChartHash], String>()

    /// The long side of the compared images, in pixels: large enough to show a single changed note.
    private static let size = 1000
    /// The same key for all pages: equal pixels then give equal bytes.
    private static let key = ImageKey(SHA256.digest(of: "woodshed page comparison"))
    /// The most bytes that are read of a compared image: more than any page of that size takes.
    private static let mostBytes = 64 << 20

    init(_ core: AgentCore) { self.core = core }

    var isIdle: Bool { work.isQuiet }

    func idle() async { await work.quiet() }

    func requestComparison() { work.hint { [weak self] in await self?.compareAll() } }

    private func compareAll() async {
        do {
            let marks = core.library.olderMarks
            let due = try marks.pagesToCompare().filter { !unknown.contains($0) }
            // Report per chart, not per page.
            for chart in try Set(due.map(\.chart)).union(marks.marksToFollow(method: Following.version).map(\.chart)).sorted() {
                guard let found = try await compare(due.filter { $0.chart == chart }) else { return }
                var followed: [(marks: MarksToFollow, places: [FollowedMark])] = []
                for marks in try marks.marksToFollow(given: found, method: Following.version) where marks.chart == chart {
                    if let places = try await follow(marks) { followed.append((marks, places)) }
                }
                report(try marks.record(found, followed, by: Following.version, at: core.now), followed.map(\.marks))
            }
        } catch RenderFailure.stopped, RenderFailure.cancelled {
            return
        } catch {
            core.log.error("\(error)")
        }
    }

    /// Which of these pages look different; `nil` if the agent ends.
    private func compare(_ pairs: [PagePair]) async throws -> [PagePair: Bool]? {
        var found: [PagePair: Bool] = [:]
        for pair in pairs.sorted() {
            do {
                guard try areHere(pair) else { continue }
                found[pair] = try await differs(pair)
                troubles.forget(pair)
            } catch RenderFailure.stopped, RenderFailure.cancelled {
                return nil
            } catch {
                note(error, of: pair)
            }
        }
        return found
    }

    private func report(_ changes: [LibraryChange], _ moved: [MarksToFollow]) {
        for change in changes { core.log.warning(change.localSentence) }
        var charts = Set(changes.compactMap { if case .marksOutdated(let chart, _) = $0 { chart.id } else { nil } })
        for (attachment, chart) in Dictionary(moved.map { ($0.attachment, $0.chart) }, uniquingKeysWith: { first, _ in first }) {
            charts.insert(attachment)
            guard let marks = try? core.library.olderMarks.movedMarks(on: attachment, of: chart) else { continue }
            core.log.info(
                "marks on \(core.library.title(of: chart)) that moved with the music to its new version: \(marks.moved); not placed: "
                    + "\(marks.open.count)")
        }
        // A viewer that shows such a chart reads it again, and the chart's PDFs mention the outdated marks.
        guard !charts.isEmpty else { return }
        core.listeners.report(.reconciled(changed: charts))
        core.look.soon()
    }

    /// The places of marks on their present chart; `nil` if they cannot be found in this run: until then, they stay where they were made.
    private func follow(_ work: MarksToFollow) async throws -> [FollowedMark]? {
        let charts = [work.former, work.chart]
        guard !lost.contains(charts) else { return nil }
        do {
            for chart in charts {
                guard let pages = try core.library.charts.description(of: chart)?.pages.count else { return nil }
                guard pages <= FollowJob.mostPages else { return nil }
                try core.library.charts.check(chart)
            }
            let paths = charts.map { core.library.charts.path(of: $0) }
            let job = FollowJob(work.marks.map(\.drawn), of: paths[0], to: paths[1])
            let moved = try await core.sideWork.run { [renderer = core.renderer] in try await renderer.follow(job, in: .background) }
            obstacles.forget(charts)
            return work.found(
                zip(work.marks, moved).map { mark, moved in
                    (moved.map { MarkPlace(of: mark.made, at: $0.mark) }, moved?.isSure ?? false)
                })
        } catch RenderFailure.stopped {
            throw RenderFailure.stopped
        } catch RenderFailure.cancelled {
            throw RenderFailure.cancelled
        } catch {
            let isNews = obstacles.note(
                "\(error)", of: charts, at: core.time.now, counts: Self.isMisfortune(error), asked: .zero)
            if Self.isLasting(error, times: obstacles[charts]?.times) { lost.insert(charts) }
            if isNews { core.log.warning("could not find where the marks on \(core.library.title(of: work.chart)) belong: \(error)") }
            return nil
        }
    }

    private static func isMisfortune(_ error: any Error) -> Bool { (error as? RenderFailure)?.tookTheRendererDown == true }

    /// Whether another try would end the same way, as after several crashes of the renderer. Other obstacles, such as a full disk, may be
    /// temporary.
    private static func isLasting(_ error: any Error, times: Int?) -> Bool {
        (error as? RenderFailure)?.isLasting == true || times ?? 0 >= RenderFailure.mostMisfortunes
    }

    private func note(_ error: any Error, of pair: PagePair) {
        let isNews = troubles.note("\(error)", of: pair, at: core.time.now, counts: Self.isMisfortune(error), asked: .zero)
        if Self.isLasting(error, times: troubles[pair]?.times) { unknown.insert(pair) }
        // Log once, not at every try.
        if isNews {
            core.log.warning("could not compare \(pair.page) of \(core.library.title(of: pair.chart)) with its former version: \(error)")
        }
    }

    private func areHere(_ pair: PagePair) throws -> Bool {
        for chart in [pair.former, pair.chart] {
            guard try !core.library.charts.hasBytes(of: chart) else {
                absent.remove(chart)
                continue
            }
            if absent.insert(chart).inserted {
                core.log.warning(
                    "could not compare \(pair.page) of \(core.library.title(of: pair.chart)) with its former version: the file of chart "
                        + "\(chart.digest.shortHex) is not here")
            }
            return false
        }
        return true
    }

    /// Whether the page looks different; true if the chart no longer has such a page.
    private func differs(_ pair: PagePair) async throws -> Bool {
        guard let present = try await image(of: pair.page, in: pair.chart) else { return true }
        return try await image(of: pair.page, in: pair.former) != present
    }

    /// The image of a page; `nil` if the chart has no such page.
    private func image(of page: PageIndex, in chart: ChartHash) async throws -> [UInt8]? {
        if let pages = try core.library.charts.description(of: chart)?.pages.count, page.value >= pages { return nil }
        let path = core.library.charts.path(of: chart)
        try core.library.charts.check(chart)
        do {
            return try await core.sideWork.run { [renderer = core.renderer] in
                let file = try MemoryFile.create()
                _ = try await renderer.render(
                    PageJob(
                        chart: path, page: page, settings: RenderSettings(fullSize: Self.size),
                        outputs: [PageJob.Output(.plain, key: Self.key, descriptor: file.number)]))
                return try MemoryFile.read(file.number, limit: Self.mostBytes)
            }
        } catch RenderFailure.noSuchPage {
            return nil
        }
    }
}
