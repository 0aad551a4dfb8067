/// An image that could not be made, or a chart whose pages could not be counted, for a reason that may be in the chart itself.
public struct RenderFault: Hashable, Sendable {
    public var chart: ChartHash
    /// `nil` for the chart as a whole.
    public var image: ImageName?
    /// Which renderer failed; another one may still succeed. An image's name contains it already.
    public var tag: RendererTag
    /// Its last message.
    public var reason: String
    /// How often it was tried.
    public var tries: Int
    /// Whether nothing more is tried.
    public var isFinal: Bool
    /// When it was last tried.
    public var at: Timestamp

    /// Makes a record of a failure.
    public init(chart: ChartHash, image: ImageName?, tag: RendererTag, reason: String, tries: Int, isFinal: Bool, at: Timestamp) {
        self.chart = chart
        self.image = image
        self.tag = tag
        self.reason = reason
        self.tries = tries
        self.isFinal = isFinal
        self.at = at
    }
}
