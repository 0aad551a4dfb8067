/// The limits of the page cache.
public struct CacheLimits: Hashable, Sendable {
    public var bytes: ByteCount
    /// The disk space that must stay free, whatever else fills the disk.
    public var leastFree: ByteCount
    /// How long an image that no plan needs is kept after it was last shown; `nil` for no limit.
    public var greatestAge: Duration?

    public init(bytes: ByteCount, leastFree: ByteCount, greatestAge: Duration? = nil) {
        (self.bytes, self.leastFree, self.greatestAge) = (bytes, leastFree, greatestAge)
    }
}

/// The configured limits of the page cache. Their values in bytes may depend on the size of the disk.
public struct CacheSettings: Hashable, Sendable {
    /// The most space that all images together may take; `nil` for 4 GB or a tenth of the disk, whichever is smaller.
    public var limit: ByteCount?
    public var leastFree: DiskAmount
    /// How long an image that no plan needs is kept after it was last shown; `nil` for no limit.
    public var greatestAge: Duration?

    /// Makes settings; the defaults are the documented ones.
    public init(limit: ByteCount? = nil, leastFree: DiskAmount = .bytes(ByteCount(1_000_000_000)), greatestAge: Duration? = nil) {
        (self.limit, self.leastFree, self.greatestAge) = (limit, leastFree, greatestAge)
    }

    /// The limit if none is set and the disk is large.
    public static let usualLimit = ByteCount(4_000_000_000)

    public func limits(on disk: DiskSpace) -> CacheLimits {
        CacheLimits(
            bytes: limit ?? min(Self.usualLimit, DiskAmount.percent(10).bytes(of: disk)), leastFree: leastFree.bytes(of: disk),
            greatestAge: greatestAge)
    }
}

/// Why there is no room for images, and how to make room.
public struct RoomShortage: Hashable, Sendable, CustomStringConvertible {
    /// Whether the disk lacks space; otherwise, the cache has reached its own limit.
    public let isOfDisk: Bool
    public let reason: String
    public let remedy: String

    public init(isOfDisk: Bool, _ reason: String, remedy: String) {
        (self.isOfDisk, self.reason, self.remedy) = (isOfDisk, reason, remedy)
    }

    public var description: String { "\(reason); \(remedy)" }
}

/// A configured amount of disk space: a number of bytes, or a percentage of the whole disk.
public enum DiskAmount: Hashable, Sendable {
    case bytes(ByteCount)
    /// A percentage of the whole disk.
    case percent(Int)

    public func bytes(of disk: DiskSpace) -> ByteCount {
        switch self {
        case .bytes(let bytes): bytes
        // Divide first, to avoid overflow. The remainder that is lost does not matter on a disk.
        case .percent(let percent): ByteCount(disk.total.bytes / 100 * percent)
        }
    }
}

/// The disk that a folder is on.
public struct DiskSpace: Hashable, Sendable {
    public var total: ByteCount
    /// The free space that this program may use.
    public var free: ByteCount

    public init(total: ByteCount, free: ByteCount) { (self.total, self.free) = (total, free) }
}

public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bytes: Int

    public init(_ bytes: Int) { self.bytes = bytes }

    /// The size for people: "512 B", "4.2 kB", "1.5 GB", in powers of 1000, as disks are sold.
    public var description: String {
        var value = Double(bytes)
        var unit = "B"
        for next in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
            value /= 1000
            unit = next
        }
        guard unit != "B", value < 99.95 else { return "\(Int(value.rounded())) \(unit)" }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
    /// The sum, or the greatest or least number if the sum would overflow.
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
        let (sum, isTooLarge) = left.bytes.addingReportingOverflow(right.bytes)
        return isTooLarge ? ByteCount(left.bytes < 0 ? .min : .max) : ByteCount(sum)
    }
}

/// An image file in the cache, with the facts that decide when it is removed.
public struct CacheEntry: Hashable, Sendable {
    public var name: ImageName
    /// The disk space that deleting the image frees.
    public var size: ByteCount
    /// When the image was last shown, to the hour; for an image that was never shown, when it was made.
    public var usedAt: Timestamp

    public init(name: ImageName, size: ByteCount, usedAt: Timestamp) { (self.name, self.size, self.usedAt) = (name, size, usedAt) }
}

/// Why an image was removed to stay within the limits.
public enum TrimReason: String, Hashable, Sendable {
    /// The images took more space than allowed.
    case size
    /// The disk was short of space.
    case disk
    /// No plan needs the image, and it was last shown too long ago.
    case age
}
