public import Model

/// Names a mark within its layer.
public struct MarkID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Names who edits a layer: one browser's profile, or a hand that wrote in the file.
public struct DeviceID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Which edits a value of a mark includes: the number of the last one of each device.
///
/// Each device numbers its own edits, and uses no number twice. So these numbers alone show what was known when a value was made, whatever
/// clocks say.
public struct EditCounts: Hashable, Sendable {
    /// Each count is at least 1.
    public private(set) var counts: [DeviceID: Int]

    /// The largest number that browsers count exactly.
    public static let greatest = 9_007_199_254_740_991

    /// Includes no edit.
    public init() { counts = [:] }

    /// `nil` if a count is not a possible edit's number.
    public init?(_ counts: [DeviceID: Int]) {
        guard counts.values.allSatisfy((1...Self.greatest).contains) else { return nil }
        self.counts = counts
    }

    /// For a value without counts, because somebody wrote it into the file: derived from its text, so that every reader derives the same,
    /// and later edits can include it.
    public static func byHand(_ text: [UInt8]) -> EditCounts {
        var counts = EditCounts()
        counts.counts[DeviceID("hand-" + SHA256.digest(of: text).hex.prefix(16))] = 1
        return counts
    }

    public var isEmpty: Bool { counts.isEmpty }

    /// The number of the last edit of `device` that is included; 0 if none is.
    public subscript(device: DeviceID) -> Int { counts[device] ?? 0 }

    /// Returns whether all edits of `other` are included.
    public func includes(_ other: EditCounts) -> Bool { other.counts.allSatisfy { self[$0.key] >= $0.value } }

    /// Returns whether a value with these takes the place of one with `other`.
    public func dominates(_ other: EditCounts) -> Bool { self != other && includes(other) }

    /// Includes the edits of both.
    public func joined(with other: EditCounts) -> EditCounts {
        var joined = self
        joined.counts.merge(other.counts) { max($0, $1) }
        return joined
    }

    /// Includes the edit of `device` with this number, too.
    public func including(_ number: Int, of device: DeviceID) -> EditCounts {
        var counts = self
        counts.counts[device] = max(number, counts[device])
        return counts
    }

    /// The devices, in the order of their names.
    public var sorted: [(device: DeviceID, number: Int)] {
        counts.map { (device: $0.key, number: $0.value) }.sorted { $0.device < $1.device }
    }

    /// The greatest number, with the last of the devices that have it.
    private var peak: (number: Int, device: DeviceID) {
        counts.map { (number: $0.value, device: $0.key) }.max { $0 < $1 } ?? (0, DeviceID(""))
    }

    /// A total order: by the greatest number, then by its device, then by the rest.
    func precedes(_ other: EditCounts) -> Bool {
        let (mine, its) = (peak, other.peak)
        guard mine == its else { return mine < its }
        return sorted.lexicographicallyPrecedes(other.sorted) { ($0.device, $0.number) < ($1.device, $1.number) }
    }
}
