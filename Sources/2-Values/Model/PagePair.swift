/// A page of a chart, and the same page of a chart that it replaced.
public struct PagePair: Hashable, Comparable, Sendable {
    public let former: ChartHash
    public let chart: ChartHash
    public let page: PageIndex

    /// Names a pair.
    public init(former: ChartHash, chart: ChartHash, page: PageIndex) {
        self.former = former
        self.chart = chart
        self.page = page
    }

    public static func < (left: PagePair, right: PagePair) -> Bool {
        (left.chart, left.former, left.page) < (right.chart, right.former, right.page)
    }
}
