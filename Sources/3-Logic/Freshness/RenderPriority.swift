public import Model

/// The position of an image in the order of rendering. Lesser values come first.
///
/// The nearest plan is completed first, so this Sunday is ready before the next one is started. Within a plan, the first pages of
/// every chart come before later pages, since any chart may be opened next. Full sizes come before thumbnails, since people play
/// from full sizes. A chart that may take the renderer down comes last.
public struct RenderPriority: Hashable, Comparable, Sendable {
    /// True if other pages of the chart took the renderer down. Each further attempt may take the longest time that is allowed.
    public var isRisky = false
    public var planRank: Int
    /// True if the page is not among the first pages of its chart.
    public var isLaterPage: Bool
    public var variant: Variant
    public var chartPlace: Int
    public var page: PageIndex

    /// How many pages of a chart count as first pages.
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

/// The images of one page that are made together from one raster. A thumbnail is scaled down from the full size, so it costs almost
/// nothing more.
public struct PageWork: Hashable, Sendable {
    public let chart: ChartHash
    public let page: PageIndex
    /// The marks of the annotated image, if it is among `images`.
    public let marks: MarkDigest?
    /// At most one image of each variant, in the order of rendering.
    public let images: [WantedImage]

    private init(chart: ChartHash, page: PageIndex, marks: MarkDigest?, images: [WantedImage]) {
        (self.chart, self.page, self.marks, self.images) = (chart, page, marks, images)
    }

    /// A single image that a screen waits for, whatever other images of its page are missing.
    public init(only image: WantedImage) {
        self.init(chart: image.inputs.chart, page: image.inputs.page, marks: image.inputs.marks, images: [image])
    }

    /// The priority of the most urgent image.
    public var priority: RenderPriority { images[0].priority }

    /// Groups missing images by page, in the order of their most urgent images. Every image is in exactly one group.
    ///
    /// For the pages in `apart`, which failed before, the annotated image gets a group of its own, to find out whether marks are the cause.
    public static func group(_ missing: [WantedImage], apart: Set<WantedImage.Page> = []) -> [PageWork] {
        struct PageKey: Hashable {
            let chart: ChartHash
            let page: PageIndex
            /// Two attachments with equal bytes may have different marks. The second annotated image is then in another group.
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
