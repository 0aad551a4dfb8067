public import Model

/// The state of a chart and the images of its pages, by what is known already: no file is read for it, so it costs little.
public struct ChartOutlook: Hashable, Sendable {
    /// One page with its three images.
    public struct Page: Hashable, Sendable {
        public let index: PageIndex
        public let geometry: PageGeometry
        public var plain: Image
        /// The same as `plain` if the page has no marks.
        public var annotated: Image
        public var thumbnail: Image

        public init(index: PageIndex, geometry: PageGeometry, plain: Image, annotated: Image, thumbnail: Image) {
            (self.index, self.geometry, self.plain, self.annotated, self.thumbnail) = (index, geometry, plain, annotated, thumbnail)
        }

        public var isMarked: Bool { annotated.name != plain.name }
        /// Whether all of the page's images are here.
        public var isReady: Bool { plain.isHere && annotated.isHere && thumbnail.isHere }
    }

    public struct Image: Hashable, Sendable {
        public var name: ImageName
        /// Width and height are in pixels.
        public let width: Int
        public let height: Int
        public var isHere: Bool
        /// Where the image has ink; `nil` while the image is not here, or if its file does not record the ink.
        public var ink: PageInk?
        /// An image with the same content, from another renderer or in another size, while this image is not here.
        public var former: ImageName?

        public init(name: ImageName, width: Int, height: Int, isHere: Bool, ink: PageInk? = nil, former: ImageName? = nil) {
            (self.name, self.width, self.height, self.isHere, self.ink, self.former) = (name, width, height, isHere, ink, former)
        }

        /// This image as if it were here, with only what its name determines: without its ink, and without a former image in its place.
        public var asNamed: Image { Image(name: name, width: width, height: height, isHere: true) }
    }

    public let report: ReadinessReport.Chart
    /// Empty until the pages are counted.
    public var pages: [Page]
    /// The order in which the pages are shown.
    public let order: [PageIndex]

    public init(report: ReadinessReport.Chart, pages: [Page], order: [PageIndex]) {
        (self.report, self.pages, self.order) = (report, pages, order)
    }
}

/// The state of a plan, with its charts.
public struct PlanOutlook: Hashable, Sendable {
    public let contents: PlanContents
    public let report: ReadinessReport.Plan
    public let charts: [ChartUse: ChartOutlook]

    public init(contents: PlanContents, report: ReadinessReport.Plan, charts: [ChartUse: ChartOutlook]) {
        (self.contents, self.report, self.charts) = (contents, report, charts)
    }

    /// The outlooks of the plan's charts, each chart once; charts without an outlook are missing.
    private var known: [ChartOutlook] { contents.attachments.compactMap { charts[$0.use] } }

    /// The number of pages counted so far; `pagesReady` is how many of them have all their images here.
    public var pages: Int { known.reduce(0) { $0 + $1.pages.count } }
    public var pagesReady: Int {
        // If the chart's file is gone, its pages do not count, even if their images remain.
        known.reduce(0) { $0 + ($1.report.pages == nil ? 0 : $1.pages.count(where: \.isReady)) }
    }
}
