public import Model

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
        self.chart = chart
        self.page = page
        self.marks = marks
        self.images = images
    }

    /// One image as work of its own, whatever else of the page is missing: for an image that somebody is waiting for.
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
