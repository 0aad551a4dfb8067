import Model

/// A page that somebody wants to see.
struct PageRequest: Hashable, Sendable {
    let chart: AttachmentID
    let page: PageIndex
    let isMarked: Bool
}
