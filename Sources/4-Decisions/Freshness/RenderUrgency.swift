public import Model

/// What someone is waiting for, or soon will be, comes before everything that is rendered ahead; lesser comes first.
public enum RenderUrgency: Hashable, Comparable, Sendable {
    /// It is the page on the screen.
    case onScreen
    /// It comes up when the page is turned: 0 for the next turn, 1 for the one after.
    case next(Int)
    /// One of the first pages of a chart in the plan that somebody is looking at: any of them may be opened next.
    case lookedAt(place: Int, page: PageIndex)
    /// The same, but only the thumbnail is missing.
    case lookedAtThumbnail(place: Int, page: PageIndex)
    /// Nobody is looking at it.
    case ahead
}
