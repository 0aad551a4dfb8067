import FoundationEssentials

/// Writes values that define their own form.
public enum JSONWriter {
    /// On one line, names in order: equal values are equal bytes.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
