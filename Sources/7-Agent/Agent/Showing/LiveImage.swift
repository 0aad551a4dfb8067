/// A larger image that is being drawn for a viewer.
struct LiveImage {
    let number: Int
    let viewer: String
    let page: PageRequest
    let longSide: Int
    let cancel: @Sendable () -> Void
}
