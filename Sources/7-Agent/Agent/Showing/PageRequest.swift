import Model

/// A page that somebody wants to see.
struct PageRequest: Hashable, Sendable {
    let chart: AttachmentID
    let page: PageIndex
    let isMarked: Bool
    /// Which of the attachment's charts, if the caller knows: a song may be in one plan in two keys.
    var use: ChartUse?
}
