/// Adler-32; all that is needed here is to combine the sums of parts.
enum Adler {
    private static let base: UInt64 = 65521

    /// The sum of all bytes, computed from the sums of the parts.
    static func sum(of sums: [UInt32], lengths: [Int]) -> UInt32 {
        var low: UInt64 = 1
        var high: UInt64 = 0
        for (sum, length) in zip(sums, lengths) {
            let partLow = UInt64(sum & 0xffff)
            let partHigh = UInt64(sum >> 16)
            // Each part's sum began with 1, but should have begun with `low`.
            high = (high + partHigh + (low + base - 1) % base * (UInt64(length) % base)) % base
            low = (low + partLow + base - 1) % base
        }
        return UInt32(high << 16 | low)
    }
}
