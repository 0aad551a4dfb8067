/// A larger image that is being drawn for a viewer.
struct LiveImage {
    let number: Int
    let cancel: @Sendable () -> Void
}
