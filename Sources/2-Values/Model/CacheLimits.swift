/// How much the page cache may take.
public struct CacheLimits: Hashable, Sendable {
    /// The most that all images may take on disk.
    public var bytes: ByteCount
    /// What is left free of the disk, whatever fills it.
    public var leastFree: ByteCount
    /// How long an image that no plan needs is kept after it was last shown; `nil` for as long as there is room.
    public var greatestAge: Duration?

    /// Sets limits.
    public init(bytes: ByteCount, leastFree: ByteCount, greatestAge: Duration? = nil) {
        self.bytes = bytes
        self.leastFree = leastFree
        self.greatestAge = greatestAge
    }
}
