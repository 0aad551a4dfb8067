/// Base64 (RFC 4648), which represents bytes as text.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes as text; if `forAddresses`, with the characters for URLs and without padding.
    package static func encode(_ bytes: [UInt8], forAddresses: Bool = false) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - piece.count))
            for place in 0...piece.count {
                text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63]))
            }
            if !forAddresses { text += String(repeating: "=", count: 3 - piece.count) }
        }
        return forAddresses ? String(text.map { ["+": "-", "/": "_"][$0] ?? $0 }) : text
    }

    /// Decodes `text`; `nil` if it is not Base64.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.dropFirst(digits.count)
        guard text.utf8.count % 4 == 0, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
