public import Model

/// The place of an image in the order of rendering; lesser comes first.
///
/// The nearest plan is completed before the next one is begun: this Sunday is ready before the one after is started.
/// Within a plan the first pages of every chart come before the rest, since any chart may be opened next, and full
/// sizes before thumbnails, since they are what is played from. A chart that may take the renderer down comes after everything else.
public struct RenderPriority: Hashable, Comparable, Sendable {
    /// True if other pages of its chart took the renderer down: each such try may take as long as any may.
    public var isRisky = false
    public var planRank: Int
    /// True if the page comes after the first three of its chart.
    public var isLaterPage: Bool
    public var variant: Variant
    public var chartPlace: Int
    public var page: PageIndex

    /// How many pages of a chart count as its first.
    public static let firstPages = 3

    public init(planRank: Int, chartPlace: Int, page: PageIndex, variant: Variant) {
        (self.planRank, self.chartPlace, self.page, self.variant) = (planRank, chartPlace, page, variant)
        isLaterPage = page.value >= Self.firstPages
    }

    public static func < (left: RenderPriority, right: RenderPriority) -> Bool {
        if left.isRisky != right.isRisky { return right.isRisky }
        if left.planRank != right.planRank { return left.planRank < right.planRank }
        if left.isLaterPage != right.isLaterPage { return right.isLaterPage }
        if left.isThumbnail != right.isThumbnail { return right.isThumbnail }
        if left.chartPlace != right.chartPlace { return left.chartPlace < right.chartPlace }
        if left.page != right.page { return left.page < right.page }
        return left.variant < right.variant
    }

    private var isThumbnail: Bool { variant == .thumbnail }
}

/// The images of one page that are made together: all are made from one raster, so a thumbnail costs almost nothing
/// on top of the full size that it is scaled down from.
public struct PageWork: Hashable, Sendable {
    public let chart: ChartHash
    public let page: PageIndex
    /// The marks of the annotated image, if there is one among `images`.
    public let marks: MarkDigest?
    /// At most one of each variant, in the order of rendering.
    public let images: [WantedImage]

    private init(chart: ChartHash, page: PageIndex, marks: MarkDigest?, images: [WantedImage]) {
        (self.chart, self.page, self.marks, self.images) = (chart, page, marks, images)
    }

    /// One image as work of its own, whatever else of the page is missing: for an image that a screen waits for.
    public init(only image: WantedImage) {
        self.init(chart: image.inputs.chart, page: image.inputs.page, marks: image.inputs.marks, images: [image])
    }

    /// As urgent as its most urgent image.
    public var priority: RenderPriority { images[0].priority }

    /// Groups missing images page by page; the most urgent page comes first, and every image is in exactly one work.
    ///
    /// On the pages in `apart` the annotated image is work of its own: something failed there, and this shows whether it was the marks.
    public static func group(_ missing: [WantedImage], apart: Set<WantedImage.Page> = []) -> [PageWork] {
        struct PageKey: Hashable {
            let chart: ChartHash
            let page: PageIndex
            /// Two attachments with equal bytes may carry different marks: the second annotated image is work of its own.
            let turn: Int
            let isApart: Bool
        }
        var order: [PageKey] = []
        var groups: [PageKey: [WantedImage]] = [:]
        for image in missing {
            var turn = 0
            let isApart = image.inputs.variant == .annotated && !apart.isEmpty && apart.contains(image.page)
            func key() -> PageKey { PageKey(chart: image.inputs.chart, page: image.inputs.page, turn: turn, isApart: isApart) }
            while groups[key()]?.contains(where: { $0.inputs.variant == image.inputs.variant }) == true { turn += 1 }
            if groups[key()] == nil { order.append(key()) }
            groups[key(), default: []].append(image)
        }
        return order.map { key in
            let images = groups[key] ?? []
            return PageWork(
                chart: key.chart, page: key.page, marks: images.lazy.compactMap(\.inputs.marks).first, images: images)
        }
    }
}
