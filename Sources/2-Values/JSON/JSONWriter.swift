import FoundationEssentials

/// Writes values that are `Encodable`.
public enum JSONWriter {
    /// Writes one line with sorted names, so that equal values give equal bytes.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
