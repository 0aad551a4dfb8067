import Model

/// One page that is measured.
struct CorpusPage: Hashable, Sendable {
    let chart: CorpusChart
    let index: PageIndex
    /// How many pages its chart has.
    let pageCount: Int
    /// The size of its full image.
    let width: Int
    let height: Int
    let kind: PageClass
    /// The bytes of its plain image.
    let plainBytes: Int

    var isPhotograph: Bool { chart.isPhotograph }

    var name: String { pageCount == 1 ? chart.name : "\(chart.name) \(index.number)" }
}
