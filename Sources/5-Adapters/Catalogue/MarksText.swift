import FoundationEssentials
package import Model

/// Marks as the catalogue stores them: JSON with sorted keys, so that equal marks are equal text.
package enum MarksText {
    package static func write(_ marks: [Mark], of layer: LayerID) throws(LibraryError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(marks), as: UTF8.self)
        } catch {
            throw .unreadableMarks(layer, "\(error)")
        }
    }

    /// Far above what is accepted today, so that what an older program stored without limits can still be read.
    private static let limits = JSONLimits(bytes: 1 << 30, depth: 1000, values: 50_000_000)

    /// Identifies a text of marks: equal texts have equal versions.
    package static func version(of text: String) -> Digest { SHA256.digest(of: text) }

    package static func read(_ text: String, of layer: LayerID) throws(LibraryError) -> [Mark] {
        do {
            return try JSONReader.decode([Mark].self, from: Array(text.utf8), limits: limits)
        } catch {
            throw .unreadableMarks(layer, "\(error)")
        }
    }
}
