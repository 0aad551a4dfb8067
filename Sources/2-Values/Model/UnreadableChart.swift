/// Why a renderer could not open a chart.
public struct UnreadableChart: Hashable, Sendable {
    /// What the renderer said.
    public let reason: String
    /// Which renderer; another one may try again.
    public let tag: RendererTag

    /// Makes a record of a failure.
    public init(reason: String, tag: RendererTag) {
        self.reason = reason
        self.tag = tag
    }
}
