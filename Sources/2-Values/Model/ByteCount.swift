/// A number of bytes.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bytes: Int

    /// Takes a number of bytes.
    public init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// For people: "512 B", "4.2 kB", "1.5 GB" (powers of 1000, as disks are sold).
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
    /// The sum; if that is too large, the greatest number there is.
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
        let (sum, isTooLarge) = left.bytes.addingReportingOverflow(right.bytes)
        return isTooLarge ? ByteCount(left.bytes < 0 ? .min : .max) : ByteCount(sum)
    }
}
