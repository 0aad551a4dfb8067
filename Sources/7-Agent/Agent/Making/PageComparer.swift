import Glibc
import ImageKeeping
import Library
import Model
import Platform
import Rendering

/// Finds pages with marks that look different since their chart was replaced, and reports each page once.
@LoopActor
final class PageComparer {
    private let core: AgentCore
    private let work = Hints()
    /// Pages that cannot be compared in this run. No result is recorded, and the next run tries again.
    private var unknown: Set<PagePair> = []
    /// Charts whose files are missing, which was logged. Their pages are compared when the files arrive.
    private var absent: Set<ChartHash> = []
    /// Failures of pages that will be compared again.
    private var troubles = Retries<PagePair, String>()

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
            // Report per chart, not per page.
            let due = try core.library.olderMarks.pagesToCompare().filter { !unknown.contains($0) }
            for (_, pairs) in Dictionary(grouping: due, by: \.chart).sorted(by: { $0.key < $1.key }) {
                var found: [PagePair: Bool] = [:]
                for pair in pairs {
                    do {
                        guard try areHere(pair) else { continue }
                        found[pair] = try await differs(pair)
                        troubles.forget(pair)
                    } catch RenderFailure.stopped, RenderFailure.cancelled {
                        return
                    } catch {
                        note(error, of: pair)
                    }
                }
                let changes = try core.library.olderMarks.record(found, at: core.now)
                for change in changes { core.log.warning(change.localSentence) }
                let charts = changes.compactMap { if case .marksOutdated(let chart, _) = $0 { chart.id } else { nil } }
                // A viewer that shows such a chart reads it again, and the chart's PDFs mention the outdated marks.
                if !charts.isEmpty {
                    core.listeners.report(.reconciled(changed: Set(charts)))
                    core.look.soon()
                }
            }
        } catch {
            core.log.error("\(error)")
        }
    }

    /// Gives a comparison up only if another try would end the same way, or after several crashes of the renderer. Other obstacles,
    /// such as a full disk, may be temporary.
    private func note(_ error: any Error, of pair: PagePair) {
        let failure = error as? RenderFailure
        let isNews = troubles.note(
            "\(error)", of: pair, at: core.time.now, counts: failure?.tookTheRendererDown == true, asked: .zero)
        if failure?.isLasting == true || troubles[pair]?.times ?? 0 >= RenderFailure.mostMisfortunes { unknown.insert(pair) }
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
