import Model

/// The parts of a JSON text where they stand, and their spelling: what a program does not understand it can write back as it was,
/// and of what is wrong it can say where it is.
///
/// Only for bytes that `JSONReader` has read: nothing is checked here, least of all how deeply values are nested.
struct JSONPieces {
    let bytes: [UInt8]

    /// The outermost value.
    var whole: Range<Int> {
        let start = skipBlanks(from: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        return start..<end(of: start)
    }

    /// The line of a place, counted from 1.
    func line(of place: Int) -> Int { bytes[..<place].count { $0 == 0x0a } + 1 }

    /// The members of an object, in their order; `nil` if it is none.
    func members(of range: Range<Int>) -> [(name: String, value: Range<Int>)]? {
        guard bytes[range.lowerBound] == UInt8(ascii: "{") else { return nil }
        var members: [(name: String, value: Range<Int>)] = []
        var place = skipBlanks(from: range.lowerBound + 1)
        while bytes[place] != UInt8(ascii: "}") {
            let nameEnd = end(of: place)
            let start = skipBlanks(from: skipBlanks(from: nameEnd) + 1)
            let value = start..<end(of: start)
            members.append((string(place..<nameEnd) ?? "", value))
            place = skipBlanks(from: value.upperBound)
            if bytes[place] == UInt8(ascii: ",") { place = skipBlanks(from: place + 1) }
        }
        return members
    }

    /// The parts of a list; `nil` if it is none.
    func elements(of range: Range<Int>) -> [Range<Int>]? {
        guard bytes[range.lowerBound] == UInt8(ascii: "[") else { return nil }
        var elements: [Range<Int>] = []
        var place = skipBlanks(from: range.lowerBound + 1)
        while bytes[place] != UInt8(ascii: "]") {
            elements.append(place..<end(of: place))
            place = skipBlanks(from: elements[elements.count - 1].upperBound)
            if bytes[place] == UInt8(ascii: ",") { place = skipBlanks(from: place + 1) }
        }
        return elements
    }

    /// A text; `nil` if the value is none.
    func string(_ range: Range<Int>) -> String? {
        guard bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inside = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        if !inside.contains(UInt8(ascii: "\\")) { return String(decoding: inside, as: UTF8.self) }
        guard case .string(let text)? = try? JSONReader.read(Array(bytes[range])) else { return nil }
        return text
    }

    /// A whole number; `nil` if the value is none, or is too large.
    func whole(_ range: Range<Int>) -> Int? { Int(String(decoding: plain(range), as: UTF8.self)) }

    // MARK: - One spelling

    /// The value in the one spelling that all equal values have: without blanks, names in order, of equal names the last one, numbers and
    /// texts written in one way. No number loses a digit.
    func plain(_ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        write(range, to: &text)
        return text
    }

    /// The same of an object, without the members that have these names.
    func plain(_ members: [(name: String, value: Range<Int>)], without names: Set<String> = []) -> [UInt8] {
        var text: [UInt8] = []
        write(members.filter { !names.contains($0.name) }, to: &text)
        return text
    }

    private func write(_ range: Range<Int>, to text: inout [UInt8]) {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "{"): write(members(of: range) ?? [], to: &text)
        case UInt8(ascii: "["):
            text.append(UInt8(ascii: "["))
            for (index, element) in (elements(of: range) ?? []).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                write(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""):
            let isPlain = bytes[range].allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "<") }
            text += isPlain ? Array(bytes[range]) : Self.quoted(string(range) ?? "")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): text += PlainNumber.spelling(of: bytes[range])
        default: text += bytes[range]
        }
    }

    private func write(_ members: [(name: String, value: Range<Int>)], to text: inout [UInt8]) {
        var last: [PlainName: Range<Int>] = [:]
        for member in members { last[PlainName(member.name)] = member.value }
        text.append(UInt8(ascii: "{"))
        for (index, member) in last.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += Self.quoted(member.key.text)
            text.append(UInt8(ascii: ":"))
            write(member.value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// A text in quotes, so that browsers, too, take it for nothing else.
    static func quoted(_ text: String) -> [UInt8] { JSONText.text(text).bytes(forBrowsers: true) }

    private struct PlainName: OpaqueIdentifier {
        let text: String
        init(_ text: String) { self.text = text }
    }

    // MARK: - Places

    private func skipBlanks(from place: Int) -> Int {
        var place = place
        while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
        return place
    }

    /// Where the value ends that begins at `start`.
    private func end(of start: Int) -> Int {
        var place = start
        var depth = 0
        repeat {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = endOfString(place) - 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0a, 0x0d: break
            default:
                // A number or a word.
                while place + 1 < bytes.count, !Self.ending.contains(bytes[place + 1]) { place += 1 }
            }
            place += 1
        } while depth > 0
        return place
    }

    private static let ending: [UInt8] = Array(",]}: \t\n\r".utf8)

    private func endOfString(_ start: Int) -> Int {
        var place = start + 1
        while bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return place + 1
    }
}

/// Numbers of JSON in one spelling each, with every digit that they have.
enum PlainNumber {
    static func spelling(of number: ArraySlice<UInt8>) -> [UInt8] {
        let isNegative = number.first == UInt8(ascii: "-")
        let mantissa = number.dropFirst(isNegative ? 1 : 0).prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let tail = number[mantissa.endIndex...].dropFirst()
        guard let power = tail.isEmpty ? 0 : Int(String(decoding: tail, as: UTF8.self)), power.magnitude < 1 << 40 else {
            // Nobody reckons with it, so nobody spells it in another way.
            return number.map { $0 == UInt8(ascii: "E") ? UInt8(ascii: "e") : $0 }
        }
        let fraction = parts.count > 1 ? parts[1] : []
        let all = Array(parts[0] + fraction)
        let leading = all.prefix { $0 == UInt8(ascii: "0") }.count
        guard leading < all.count else { return [UInt8(ascii: "0")] }
        var digits = Array(all[leading...])
        /// How many digits stand before the point.
        let point = parts[0].count - leading + power
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (isNegative ? [UInt8(ascii: "-")] : []) + spelling(digits, point)
    }

    /// As browsers write them.
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
