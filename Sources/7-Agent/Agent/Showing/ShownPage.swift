public import Model

/// A page's image, ready to be sent to the screen.
public struct ShownPage: Hashable, Sendable {
    /// Where it came from.
    public enum Source: String, Hashable, Sendable {
        case memory, disk
        /// It was drawn while somebody waited.
        case rendered
    }

    /// What it shows; an image larger than those in the cache is not in the cache under this name.
    public let name: ImageName
    /// The PNG.
    public let bytes: [UInt8]
    public let source: Source
}
