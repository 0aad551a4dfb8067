public import Model

/// What someone is waiting for, or soon will be, comes before everything that is rendered ahead; lesser comes first.
public enum RenderUrgency: Hashable, Comparable, Sendable {
    /// It is the page on the screen.
    case onScreen
    /// It comes when the page is turned, and then again.
    case next(Int)
    /// One of the first pages of a chart of the plan that is being looked at: any of them may be opened next.
    case lookedAt(place: Int, page: PageIndex)
    /// The same where only the thumbnail is missing.
    case lookedAtThumbnail(place: Int, page: PageIndex)
    /// Nobody looks at it.
    case ahead
}
