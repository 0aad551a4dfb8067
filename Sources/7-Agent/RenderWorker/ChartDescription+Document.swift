import Model
import PageRaster
import Rendering

extension ChartDescription {
    /// With more pages, looking for fonts would take longer than a musician wants to wait for page one: 10,000 pages take seconds.
    private static let mostPagesSearched = 1000

    /// This many pages that cannot be read are listed by number.
    private static let mostNamed = 20

    /// Measures an open chart; the descriptor is the file that it was opened from. A page that cannot be read is assumed to be as large
    /// as its neighbour.
    init(of chart: ChartDocument, descriptor: Int32) throws(RasterFailure) {
        self.init(pages: [])
        let measured = (0..<chart.pageCount).map { page in Result { () throws(RasterFailure) in try chart.geometry(of: page) } }
        guard let first = measured.lazy.compactMap({ try? $0.get() }).first else {
            for page in measured { _ = try page.get() }
            throw .noPages
        }
        for page in measured { pages.append((try? page.get()) ?? pages.last ?? first) }
        warnings = Self.warnings(unread: measured.indices.filter { (try? measured[$0].get()) == nil }, of: chart)
        statedPages = chart.otherCount
        fontsNotEmbedded = nil
        if chart.pageCount <= Self.mostPagesSearched {
            let names = Set(chart.fontsNotEmbedded().map { String($0.prefix(Self.longestFontName)) })
            fontsNotEmbedded = Array(names.sorted().prefix(Self.mostFonts))
        }
        hasImages = ChartDocument.mayHoldImages(descriptor: descriptor)
    }

    private static func warnings(unread: [Int], of chart: ChartDocument) -> [String] {
        var warnings: [String] = []
        if !unread.isEmpty {
            let pages = unread.count > mostNamed ? "\(unread.count) pages" : PageIndex.words(unread.map { PageIndex($0) })
            warnings.append("\(pages) cannot be read; the others are shown")
        }
        if let count = chart.otherCount { warnings.append(PageDamage.pagesMissing(stated: count, found: chart.pageCount)) }
        return warnings
    }
}
