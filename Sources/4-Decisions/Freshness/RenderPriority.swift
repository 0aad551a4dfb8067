public import Model

/// The place of an image in the order of rendering; lesser comes first.
///
/// The nearest plan is completed before the next one is begun: this Sunday is ready before the one after is started.
/// Within a plan the first pages of every chart come before the rest, since any chart may be opened next, and full
/// sizes before thumbnails, since they are what is played from.
public struct RenderPriority: Hashable, Comparable, Sendable {
    /// How many plans come before this one.
    public var planRank: Int
    /// Whether the page comes after the first three of its chart.
    public var isLaterPage: Bool
    public var variant: Variant
    /// The chart's place in the plan.
    public var chartPlace: Int
    public var page: PageIndex

    /// How many pages of a chart count as its first.
    public static let firstPages = 3

    /// Makes the priority of one image.
    public init(planRank: Int, chartPlace: Int, page: PageIndex, variant: Variant) {
        self.planRank = planRank
        self.chartPlace = chartPlace
        self.page = page
        self.variant = variant
        isLaterPage = page.value >= Self.firstPages
    }

    public static func < (left: RenderPriority, right: RenderPriority) -> Bool {
        if left.planRank != right.planRank { return left.planRank < right.planRank }
        if left.isLaterPage != right.isLaterPage { return right.isLaterPage }
        if left.isThumbnail != right.isThumbnail { return right.isThumbnail }
        if left.chartPlace != right.chartPlace { return left.chartPlace < right.chartPlace }
        if left.page != right.page { return left.page < right.page }
        return left.variant < right.variant
    }

    private var isThumbnail: Bool { variant == .thumbnail }
}
