import Glibc
import Library
import Model
import Platform
import Rendering

/// Finds out which pages with marks look different since their chart was replaced, and reports each once.
@LoopActor
final class PageComparer {
    private let library: Library
    private let renderer: any PageRenderer
    private let turns: YieldingWork
    private let time: any TimeKeeper
    private let log: Log
    private let work = Hints()
    /// What cannot be found out in this run. Nothing is claimed about it, and the next run tries again.
    private var unknown: Set<PagePair> = []
    /// What went wrong with pages that are still to be compared.
    private var troubles: [PagePair: Trouble] = [:]

    private struct Trouble {
        var reason = ""
        /// How often the renderer did not survive it.
        var misfortunes = 0
    }

    /// Large enough that a single changed note changes pixels.
    private static let size = 1000
    /// The same for all pages, so that equal pixels mean equal bytes.
    private static let key = ImageKey(SHA256.digest(of: "woodshed page comparison"))
    /// No page of that size is larger.
    private static let mostBytes = 64 << 20

    init(library: Library, renderer: any PageRenderer, turns: YieldingWork, time: any TimeKeeper, log: Log) {
        self.library = library
        self.renderer = renderer
        self.turns = turns
        self.time = time
        self.log = log
    }

    /// Whether nothing is being compared.
    var isIdle: Bool { work.isQuiet }

    /// Waits until nothing is being compared.
    func idle() async { await work.quiet() }

    /// Compares whatever has not been compared yet.
    func look() {
        work.hint { [weak self] in await self?.compareAll() }
    }

    private func compareAll() async {
        do {
            // Reported chart by chart, not page by page.
            let due = try library.olderMarks.pagesToCompare().filter { !unknown.contains($0) }
            for (_, pairs) in Dictionary(grouping: due, by: \.chart).sorted(by: { $0.key < $1.key }) {
                var found: [PagePair: Bool] = [:]
                for pair in pairs {
                    do {
                        found[pair] = try await differs(pair)
                        if found[pair] == nil { unknown.insert(pair) }
                        troubles[pair] = nil
                    } catch RenderFailure.stopped, RenderFailure.cancelled {
                        return
                    } catch {
                        note(error, of: pair)
                    }
                }
                for change in try library.olderMarks.record(found, at: time.timestamp) {
                    log.warning(change.localSentence)
                }
            }
        } catch {
            log.error("\(error)")
        }
    }

    /// Gives a comparison up only where another try would end alike. Whatever else stood in its way, such as a full disk, may pass.
    private func note(_ error: any Error, of pair: PagePair) {
        let failure = error as? RenderFailure
        var trouble = troubles[pair] ?? Trouble()
        if failure?.tookTheRendererDown == true { trouble.misfortunes += 1 }
        if failure?.isLasting == true || trouble.misfortunes >= RenderFailure.mostMisfortunes { unknown.insert(pair) }
        // Told once, not at every try.
        if trouble.reason != "\(error)" {
            log.warning("whether \(pair.page) of \(library.title(of: pair.chart)) still looks the same is not known: \(error)")
        }
        trouble.reason = "\(error)"
        troubles[pair] = trouble
    }

    /// Whether the page looks different; `nil` if the former chart is not here any more.
    private func differs(_ pair: PagePair) async throws -> Bool? {
        for chart in [pair.former, pair.chart] where try !library.charts.hasBytes(of: chart) {
            log.warning(
                "whether \(pair.page) of \(library.title(of: pair.chart)) still looks the same is not known: the file of chart "
                    + "\(chart.digest.shortHex) is no longer here")
            return nil
        }
        guard let present = try await image(of: pair.page, in: pair.chart) else { return true }
        return try await image(of: pair.page, in: pair.former) != present
    }

    /// What a page looks like; `nil` if the chart does not have it.
    private func image(of page: PageIndex, in chart: ChartHash) async throws -> [UInt8]? {
        if let pages = try library.charts.description(of: chart)?.pages.count, page.value >= pages { return nil }
        let path = library.charts.path(of: chart)
        try library.charts.check(chart)
        do {
            return try await turns.run { [renderer] in
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
