import JSON
import Model

extension JSONPart {
    /// The line and column at which the value begins in its file.
    var filePlace: MarkFileFault.Place { .line(place.line, column: place.column) }

    /// The value as a whole number; `nil` if the value is not a whole number, or is too large for an `Int`.
    var whole: Int? { Int(String(decoding: plain(), as: UTF8.self)) }

    /// The spelling that all equal values share: no blanks, members sorted by name, only the last of several members with one name,
    /// one form for each number and each text. No number is rounded. Members of this object that have one of the `names` are left out.
    func plain(without names: Set<String> = []) -> [UInt8] {
        var text: [UInt8] = []
        write(to: &text, without: names)
        return text
    }

    private func write(to text: inout [UInt8], without names: Set<String> = []) {
        if let members {
            var last: [PlainName: JSONPart] = [:]
            for member in members where !names.contains(member.name) { last[PlainName(member.name)] = member.value }
            Self.enclose(last.sorted { $0.key < $1.key }, in: "{", "}", to: &text) { member, text in
                text += JSONText.quoted(member.key.text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
        } else if let elements {
            Self.enclose(elements, in: "[", "]", to: &text) { $0.write(to: &$1) }
        } else if bytes.first == UInt8(ascii: "\"") {
            let isPlain = bytes.allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "<") }
            text += isPlain ? Array(bytes) : JSONText.quoted(string ?? "")
        } else {
            text += bytes.last.map(PlainNumber.isDigit) == true ? PlainNumber.spelling(of: bytes) : Array(bytes)
        }
    }

    private static func enclose<Part>(
        _ parts: [Part], in first: Unicode.Scalar, _ last: Unicode.Scalar, to text: inout [UInt8], _ write: (Part, inout [UInt8]) -> Void
    ) {
        text.append(UInt8(ascii: first))
        for (index, part) in parts.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            write(part, &text)
        }
        text.append(UInt8(ascii: last))
    }

    private struct PlainName: OpaqueIdentifier {
        let text: String
        init(_ text: String) { self.text = text }
    }
}

/// Gives equal JSON numbers one spelling, without rounding. A number with an exponent of 2^40 or more keeps its own spelling.
enum PlainNumber {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func spelling(of number: ArraySlice<UInt8>) -> [UInt8] {
        let isNegative = number.first == UInt8(ascii: "-")
        let mantissa = number.dropFirst(isNegative ? 1 : 0).prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let tail = number[mantissa.endIndex...].dropFirst()
        guard let power = tail.isEmpty ? 0 : Int(String(decoding: tail, as: UTF8.self)), power.magnitude < 1 << 40 else {
            // In a number with such a large exponent, unify only the case of the `e`. No code calculates with it, so equal numbers
            // may differ in spelling.
            return number.map { $0 == UInt8(ascii: "E") ? UInt8(ascii: "e") : $0 }
        }
        let fraction = parts.count > 1 ? parts[1] : []
        let all = Array(parts[0] + fraction)
        let leading = all.prefix { $0 == UInt8(ascii: "0") }.count
        guard leading < all.count else { return [UInt8(ascii: "0")] }
        var digits = Array(all[leading...])
        /// The position of the decimal point, counted in digits from the first one. It may lie before or after all `digits`.
        let point = parts[0].count - leading + power
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (isNegative ? [UInt8(ascii: "-")] : []) + spelling(digits, point)
    }

    /// Spells the number 0.`digits` × 10^`point` as browsers do.
    private static func spelling(_ digits: [UInt8], _ point: Int) -> [UInt8] {
        func zeros(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "0"), count: count) }
        let dot = UInt8(ascii: ".")
        switch point {
        case digits.count...max(digits.count, 21): return digits + zeros(point - digits.count)
        case 1..<max(digits.count, 2): return Array(digits[..<point]) + [dot] + digits[point...]
        case -5...0: return [UInt8(ascii: "0"), dot] + zeros(-point) + digits
        default:
            let tail = digits.dropFirst()
            let power = point > 0 ? "e+\(point - 1)" : "e\(point - 1)"
            return [digits[0]] + (tail.isEmpty ? [] : [dot] + tail) + Array(power.utf8)
        }
    }
}
