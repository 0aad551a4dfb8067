public import Model

/// Identifies a mark within its layer.
public struct MarkID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Identifies an editor of a layer: one profile of a browser, or one change that was made to the file by hand.
public struct DeviceID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// The edits that a value of a mark includes: for each device, the number of its last edit that is included.
///
/// Each device numbers its own edits, and never uses a number twice. So these numbers alone show which edits a value includes,
/// whatever the devices' clocks say.
public struct EditCounts: Hashable, Sendable {
    /// The number of each device's last included edit, at least 1.
    public private(set) var counts: [DeviceID: Int]

    /// The largest integer that browsers represent exactly.
    public static let greatest = 9_007_199_254_740_991

    /// Creates counts that include no edits.
    public init() { counts = [:] }

    /// Fails if a count is not the possible number of an edit, which is from 1 to `greatest`.
    public init?(_ counts: [DeviceID: Int]) {
        guard counts.values.allSatisfy((1...Self.greatest).contains) else { return nil }
        self.counts = counts
    }

    /// The counts of a value that was written into the file by hand, without counts. They are derived from the text of the value,
    /// so all readers derive the same counts, and later edits can include them.
    public static func byHand(_ text: [UInt8]) -> EditCounts {
        var counts = EditCounts()
        counts.counts[DeviceID("hand-" + SHA256.digest(of: text).hex.prefix(16))] = 1
        return counts
    }

    public var isEmpty: Bool { counts.isEmpty }

    /// The number of the last included edit of `device`; 0 if there is none.
    public subscript(device: DeviceID) -> Int { counts[device] ?? 0 }

    /// Returns whether all edits of `other` are included.
    public func includes(_ other: EditCounts) -> Bool { other.counts.allSatisfy { self[$0.key] >= $0.value } }

    /// Returns whether a value with these edits replaces a value with the edits of `other`, because it includes all of
    /// them and at least one more.
    public func dominates(_ other: EditCounts) -> Bool { self != other && includes(other) }

    /// The edits of both together.
    public func joined(with other: EditCounts) -> EditCounts {
        var joined = self
        joined.counts.merge(other.counts) { max($0, $1) }
        return joined
    }

    /// These edits together with the edits of `device` up to this number.
    public func including(_ number: Int, of device: DeviceID) -> EditCounts {
        var counts = self
        counts.counts[device] = max(number, counts[device])
        return counts
    }

    /// The devices and their numbers, sorted by device.
    public var sorted: [(device: DeviceID, number: Int)] {
        counts.map { (device: $0.key, number: $0.value) }.sorted { $0.device < $1.device }
    }

    /// The greatest number and the device that has it, the last such device in order; 0 and an empty id if there are no edits.
    private var peak: (number: Int, device: DeviceID) {
        counts.map { (number: $0.value, device: $0.key) }.max { $0 < $1 } ?? (0, DeviceID(""))
    }

    /// Whether these edits come before `other` in a fixed order: by the greatest number, then by the device that has it, then by all
    /// counts.
    func precedes(_ other: EditCounts) -> Bool {
        let (mine, its) = (peak, other.peak)
        guard mine == its else { return mine < its }
        return sorted.lexicographicallyPrecedes(other.sorted) { ($0.device, $0.number) < ($1.device, $1.number) }
    }
}
