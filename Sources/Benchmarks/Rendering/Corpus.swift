import BenchmarkCorpus
import Model
import Platform
import Rendering

/// The pages to measure, in the order of their charts.
struct Corpus: Sendable {
    private(set) var pages: [CorpusPage] = []
    /// What could not be opened or drawn, a sentence each.
    private(set) var leftOut: [String] = []

    /// Opens and draws every chart once: this shows sizes and colours, and what cannot be measured.
    @LoopActor
    init(_ charts: [CorpusChart], with renderer: MeasuredRenderer) async throws {
        var known: Set<ChartHash> = []
        for chart in charts where known.insert(chart.hash).inserted {
            do {
                pages += try await Self.pages(of: chart, with: renderer)
            } catch let failure as RenderFailure {
                leftOut.append("left out: \(chart.path): \(failure)")
            }
        }
        guard !pages.isEmpty else { throw BenchmarkFailure("there is no page to measure") }
    }

    /// The pages of one class.
    subscript(kind: PageClass) -> [CorpusPage] { pages.filter { $0.kind == kind } }

    /// The pages, grouped by chart.
    var charts: [[CorpusPage]] {
        var charts: [[CorpusPage]] = []
        for page in pages {
            if charts.last?.first?.chart == page.chart { charts[charts.count - 1].append(page) } else { charts.append([page]) }
        }
        return charts
    }

    @LoopActor
    private static func pages(of chart: CorpusChart, with renderer: MeasuredRenderer) async throws -> [CorpusPage] {
        let description = try await renderer.pool.describe(chart: chart.path)
        var pages: [CorpusPage] = []
        for (number, geometry) in description.pages.enumerated() {
            let index = PageIndex(number)
            let made = try await renderer.render(chart, index, [.plain])
            let header = try PNGHeader(path: made.paths[0])
            let size = geometry.pixels(longSide: renderer.settings.fullSize)
            pages.append(
                CorpusPage(
                    chart: chart, index: index, pageCount: description.pages.count, width: size.width, height: size.height,
                    kind: PageClass(images: chart.images, pageCount: description.pages.count, isGray: header.isGray),
                    plainBytes: header.fileBytes))
            try renderer.clear()
        }
        return pages
    }
}
