import PageRaster
import Rendering

extension ChartDescription {
    /// Above this, looking for fonts would take longer than a musician wants to wait for page one: 10,000 pages take seconds.
    private static let mostPagesSearched = 1000

    /// Measures an open chart; the descriptor is the file that it was opened from.
    init(of chart: ChartDocument, descriptor: Int32) throws(RasterFailure) {
        self.init(pages: [])
        for page in 0..<chart.pageCount { pages.append(try chart.geometry(of: page)) }
        fontsNotEmbedded = nil
        if chart.pageCount <= Self.mostPagesSearched {
            let names = Set(chart.fontsNotEmbedded().map { String($0.prefix(Self.longestFontName)) })
            fontsNotEmbedded = Array(names.sorted().prefix(Self.mostFonts))
        }
        hasImages = ChartDocument.mayHoldImages(descriptor: descriptor)
    }
}
