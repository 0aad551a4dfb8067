package import Model

/// A page to measure with.
package struct CorpusPage: Hashable, Sendable {
    package let chart: CorpusChart
    package let index: PageIndex
    /// How many pages its chart has.
    package let pageCount: Int
    /// The size of its full image.
    package let width: Int
    package let height: Int
    package let kind: PageClass
    /// The bytes of its plain image.
    package let plainBytes: Int

    package init(chart: CorpusChart, index: PageIndex, pageCount: Int, width: Int, height: Int, kind: PageClass, plainBytes: Int) {
        self.chart = chart
        self.index = index
        self.pageCount = pageCount
        self.width = width
        self.height = height
        self.kind = kind
        self.plainBytes = plainBytes
    }

    package var isPhotograph: Bool { chart.isPhotograph }

    package var name: String { pageCount == 1 ? chart.name : "\(chart.name) \(index.number)" }
}
