/// Content missing from a chart's file: a page is drawn, but something that belongs on it is not there.
public struct LostContent: Hashable, Sendable {
    public let page: PageIndex
    /// What the renderer said.
    public let reason: String
    /// Whether somebody accepted the page as it is.
    public let isAccepted: Bool

    /// Makes it from what is known.
    public init(page: PageIndex, reason: String, isAccepted: Bool) {
        self.page = page
        self.reason = reason
        self.isAccepted = isAccepted
    }
}
