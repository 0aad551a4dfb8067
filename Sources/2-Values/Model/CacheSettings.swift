/// How much the page cache may take, as configured; how many bytes that is depends on the disk.
public struct CacheSettings: Hashable, Sendable {
    /// The most that all images may take; `nil` for the smaller of 4 GB and a tenth of the disk.
    public var limit: ByteCount?
    /// What is left free of the disk.
    public var leastFree: DiskAmount
    /// How long an image that no plan needs is kept after it was last shown; `nil` for as long as there is room.
    public var greatestAge: Duration?

    /// Takes settings; the defaults are the documented ones.
    public init(limit: ByteCount? = nil, leastFree: DiskAmount = .bytes(ByteCount(1_000_000_000)), greatestAge: Duration? = nil) {
        self.limit = limit
        self.leastFree = leastFree
        self.greatestAge = greatestAge
    }

    /// The limits that follow from them on this disk.
    public func limits(on disk: DiskSpace) -> CacheLimits {
        CacheLimits(
            bytes: limit ?? min(ByteCount(4_000_000_000), DiskAmount.percent(10).bytes(of: disk)), leastFree: leastFree.bytes(of: disk),
            greatestAge: greatestAge)
    }
}
