/// An image in the cache, as its file shows it: what decides when it is removed.
public struct CacheEntry: Hashable, Sendable {
    public var name: ImageName
    /// The disk space that a deletion gives back.
    public var size: ByteCount
    /// When it was last shown, to the hour; when it was made, if it never was.
    public var usedAt: Timestamp

    /// Describes an image's file.
    public init(name: ImageName, size: ByteCount, usedAt: Timestamp) {
        self.name = name
        self.size = size
        self.usedAt = usedAt
    }
}
