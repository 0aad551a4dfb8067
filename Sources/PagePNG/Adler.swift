/// Adler-32, of which only the sum of sums is wanted here.
enum Adler {
    private static let base: UInt64 = 65521

    /// The sum of all bytes, from those of the parts.
    static func sum(of sums: [UInt32], lengths: [Int]) -> UInt32 {
        var low: UInt64 = 1
        var high: UInt64 = 0
        for (sum, length) in zip(sums, lengths) {
            let partLow = UInt64(sum & 0xffff)
            let partHigh = UInt64(sum >> 16)
            // Each part's sum began with 1 where it should have begun with `low`.
            high = (high + partHigh + (low + base - 1) % base * (UInt64(length) % base)) % base
            low = (low + partLow + base - 1) % base
        }
        return UInt32(high << 16 | low)
    }
}
