/// Reads decimal numbers separated by blanks, with a point or a comma, regardless of the machine's language.
struct NumberScanner {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        rest = bytes[...]
    }

    /// The next number; NaN for a word that is not a number, `nil` at the end.
    mutating func next() -> Double? {
        rest = rest.drop(while: Self.isBlank)
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(where: Self.isBlank) ?? rest.endIndex
        defer { rest = rest[end...] }
        return Self.number(rest[..<end])
    }

    /// The numbers in a short text, at most `most` of them, with NaN for each word that is not a number.
    static func all(in text: String, most: Int) -> [Double] {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = NumberScanner(bytes)
            var numbers: [Double] = []
            while numbers.count < most, let number = scanner.next() { numbers.append(number) }
            return numbers
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private static func number(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Double {
        var digits: UInt64 = 0
        var exponent = 0
        var count = 0
        var hasMark = false
        var place = word.startIndex
        let isNegative = word.first == UInt8(ascii: "-")
        if isNegative || word.first == UInt8(ascii: "+") { place += 1 }
        while place < word.endIndex {
            let byte = word[place]
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                count += 1
                // Eighteen digits always fit. Longer numbers are left to `Double`, which is slower.
                if count <= 18 { digits = digits * 10 + UInt64(byte - UInt8(ascii: "0")) }
                if hasMark { exponent -= 1 }
            } else if !hasMark, byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") {
                hasMark = true
            } else {
                break
            }
            place += 1
        }
        guard count > 0 else { return .nan }
        if place < word.endIndex {
            guard let power = power(word[place...]) else { return .nan }
            exponent += power
        }
        // Digits and power are both exact as `Double`, so this operation rounds only once and gives the nearest number.
        if count <= 18, digits <= 1 << 53, abs(exponent) < powers.count {
            let value = exponent < 0 ? Double(digits) / powers[-exponent] : Double(digits) * powers[exponent]
            return isNegative ? -value : value
        }
        let text = String(decoding: word.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
        return Double(text) ?? .nan
    }

    /// The power of ten after an `e`; `nil` if the text is something else, or has more than five characters after the `e`.
    private static func power(_ tail: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard tail.first == UInt8(ascii: "e") || tail.first == UInt8(ascii: "E") else { return nil }
        let text = tail.dropFirst()
        guard (1...5).contains(text.count) else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// The powers of ten that `Double` represents exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
