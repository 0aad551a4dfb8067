public import Model

extension WantedImage {
    /// Names the page that an image shows: the same for all its three variants.
    public struct Page: Hashable, Sendable {
        public let chart: ChartHash
        public let index: PageIndex

        /// Names a page.
        public init(chart: ChartHash, index: PageIndex) {
            self.chart = chart
            self.index = index
        }
    }

    /// The page that it shows.
    public var page: Page { Page(chart: inputs.chart, index: inputs.page) }
}
