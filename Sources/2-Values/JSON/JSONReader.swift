/// Reads JSON from outside in one pass. Time and memory grow only in proportion to its length.
///
/// Nested lists cost no more than the same number of lists side by side. A text is refused as soon as it exceeds a limit. Nothing
/// here is recursive, so nesting cannot exhaust the stack.
public struct JSONReader {
    /// A list or object that has not ended yet.
    private struct Open {
        let isObject: Bool
        let node: Int
    }

    private let text: [UInt8]
    /// The bytes of `text`, for faster access.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var place: Int
    private var values = 0
    private var open: [Open] = []
    private var nodes: [JSONPart.Node] = []
    /// How many of the first nodes belong to the outermost value and its complete members. The last number of a truncated text may be
    /// incomplete, so a member that ends with such a number does not count.
    private var wholeNodes = 0
    /// For each kind of value that has a limit of its own: how many were read so far.
    private var counts: [Int]

    /// Reads the single value that `bytes` contain. The contents of its parts are read on request.
    public static func whole(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONPart {
        let nodes = reading(bytes, from: 0, limits) { reader in
            Result { () throws(JSONFault) in try reader.whole() }
        }
        return JSONPart(JSONPart.Text(bytes: bytes, nodes: try nodes.get()), 0)
    }

    /// Reads the single value with all its contents.
    public static func read(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONValue {
        try whole(bytes, limits: limits).value
    }

    /// Reads a `type` from `bytes`. Throws a `JSONFault` if they are not JSON or exceed a limit, and otherwise a `DecodingError` if
    /// the value has another form.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws -> Value {
        try whole(bytes, limits: limits).decoded(as: type)
    }

    /// The text whose opening quote is at `place`, in bytes that were already checked.
    static func text(in bytes: [UInt8], from place: Int) -> [UInt8] {
        reading(bytes, from: place + 1, JSONLimits()) { reader in
            var text: [UInt8]? = []
            try? reader.string(into: &text)
            return text ?? []
        }
    }

    private static func reading<Read>(
        _ bytes: [UInt8], from place: Int, _ limits: JSONLimits, _ read: (inout JSONReader) -> Read
    ) -> Read {
        bytes.withUnsafeBufferPointer { buffer in
            var reader = JSONReader(
                text: bytes, bytes: buffer, limits: limits, place: place, counts: limits.counted.map { _ in 0 })
            return read(&reader)
        }
    }

    private mutating func whole() throws(JSONFault) -> [JSONPart.Node] {
        guard bytes.count <= min(limits.bytes, Int(UInt32.max)) else { throw tooMany("bytes", limits.bytes) }
        // Skip a byte order mark, which has no meaning in JSON.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
        repeat {
            guard try isWholeValue() else { continue }
            while let container = open.last, try !goesOn(in: container) { try close(container) }
        } while !open.isEmpty
        guard try peek(mayEnd: true) == nil else { throw fault("there is something after the end") }
        return nodes
    }

    private mutating func begin() { nodes.append(JSONPart.Node(start: UInt32(place - 1))) }

    /// Ends the node of a value or name, after everything inside it was read.
    private mutating func end(_ node: Int) { (nodes[node].end, nodes[node].next) = (UInt32(place), UInt32(nodes.count)) }

    /// Reads a value. For a list or object that is not empty, reads only its beginning, and returns `false`.
    private mutating func isWholeValue() throws(JSONFault) -> Bool {
        values += 1
        guard values <= limits.values else { throw tooMany("values", limits.values) }
        let first = try next()
        for (index, counted) in limits.counted.enumerated() where isInside(counted.place) {
            guard !counted.isList || first == UInt8(ascii: "[") else { continue }
            counts[index] += 1
            guard counts[index] <= counted.most else {
                place -= 1
                throw tooMany(counted.name, counted.most)
            }
        }
        let node = nodes.count
        begin()
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = first == UInt8(ascii: "{")
            try checkDepth()
            guard try ends(with: UInt8(ascii: isObject ? "}" : "]")) else {
                open.append(Open(isObject: isObject, node: node))
                if isObject { try name() }
                return false
            }
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("rue")
        case UInt8(ascii: "f"): try word("alse")
        case UInt8(ascii: "n"): try word("ull")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            place -= 1
            try number()
        default:
            place -= 1
            throw fault("a value is missing")
        }
        end(node)
        return true
    }

    /// Whether the open lists and objects, from the outside, are exactly of these kinds.
    private func isInside(_ place: [JSONLimits.Container]) -> Bool {
        open.count == place.count && zip(open, place).allSatisfy { $0.isObject == ($1 == .object) }
    }

    private mutating func close(_ container: Open) throws(JSONFault) {
        end(container.node)
        if !limits.allowsRepeats, open.count == 1 {
            var seen: Set<String> = []
            let members = JSONPart(JSONPart.Text(bytes: text, nodes: nodes), 0).members ?? []
            if let name = members.first(where: { !seen.insert($0.name).inserted })?.name {
                throw fault(.malformed, "has “\(name.prefix(40))” twice: put what both say into one", name: String(name.prefix(40)))
            }
        }
        open.removeLast()
    }

    /// Moves on after a part of a list or object. Returns whether another part follows.
    private mutating func goesOn(in container: Open) throws(JSONFault) -> Bool {
        let closing = UInt8(ascii: container.isObject ? "}" : "]")
        let byte = try next()
        if open.count == 1 { wholeNodes = nodes.count }
        if byte == closing { return false }
        guard byte == UInt8(ascii: ",") else {
            place -= 1
            throw fault("a comma or “\(Character(UnicodeScalar(closing)))” is missing")
        }
        if container.isObject { try name() }
        return true
    }

    private func checkDepth() throws(JSONFault) {
        guard open.count < limits.depth else { throw tooMany("nested lists", limits.depth) }
    }

    private mutating func ends(with closing: UInt8) throws(JSONFault) -> Bool {
        guard try peek() == closing else { return false }
        place += 1
        return true
    }

    private mutating func name() throws(JSONFault) {
        guard try next() == UInt8(ascii: "\"") else {
            place -= 1
            throw fault("a name in quotes is missing")
        }
        let node = nodes.count
        begin()
        try string()
        end(node)
        guard try next() == UInt8(ascii: ":") else {
            place -= 1
            throw fault("a colon is missing")
        }
    }

    private mutating func word(_ rest: String) throws(JSONFault) {
        for byte in rest.utf8 where try raw() != byte { throw fault("a word is unknown") }
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONFault) {
        if bytes[place] == UInt8(ascii: "-") { place += 1 }
        let first = try digit()
        if first != UInt8(ascii: "0") { skipDigits() }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            place += 1
            try digit()
            skipDigits()
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
            try digit()
            skipDigits()
        }
    }

    @discardableResult
    private mutating func digit() throws(JSONFault) -> UInt8 {
        let byte = try raw()
        guard Self.isDigit(byte) else { throw fault("a number is wrong") }
        return byte
    }

    private mutating func skipDigits() {
        while place < bytes.count, Self.isDigit(bytes[place]) { place += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: - Texts

    private mutating func string() throws(JSONFault) {
        var nothing: [UInt8]?
        try string(into: &nothing)
    }

    /// Moves on past the closing quote. The text before it is appended to `text`, unless `text` is `nil`.
    private mutating func string(into text: inout [UInt8]?) throws(JSONFault) {
        let start = place
        // Where the text after the last escape begins.
        var plain = place
        var isASCII = true
        while true {
            let byte = try raw()
            switch byte {
            case UInt8(ascii: "\""):
                text?.append(contentsOf: bytes[plain..<(place - 1)])
                if isASCII || String(validating: bytes[start..<(place - 1)], as: UTF8.self) != nil { return }
                place = start
                throw fault("text is not in UTF-8")
            case UInt8(ascii: "\\"):
                text?.append(contentsOf: bytes[plain..<(place - 1)])
                try escaped(into: &text)
                plain = place
            case 0..<0x20: throw fault("text contains a control character")
            default: isASCII = isASCII && byte < 0x80
            }
        }
    }

    private mutating func escaped(into text: inout [UInt8]?) throws(JSONFault) {
        let sign = try raw()
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text?.append(sign)
        case UInt8(ascii: "b"): text?.append(0x08)
        case UInt8(ascii: "f"): text?.append(0x0c)
        case UInt8(ascii: "n"): text?.append(0x0a)
        case UInt8(ascii: "r"): text?.append(0x0d)
        case UInt8(ascii: "t"): text?.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            // A character beyond U+FFFF is written as two escapes, one for each half of a surrogate pair.
            if (0xd800..<0xdc00).contains(code) {
                guard try raw() == UInt8(ascii: "\\"), try raw() == UInt8(ascii: "u") else { throw fault("an escape is wrong") }
                let low = try hexadecimal()
                guard (0xdc00..<0xe000).contains(low) else { throw fault("an escape is wrong") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = UnicodeScalar(code) else { throw fault("an escape is wrong") }
            text?.append(contentsOf: String(scalar).utf8)
        default: throw fault("an escape is wrong")
        }
    }

    private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let byte = try raw()
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { throw fault("an escape is wrong") }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    // MARK: - Bytes

    /// The next byte, including white space.
    private mutating func raw() throws(JSONFault) -> UInt8 {
        guard place < bytes.count else { throw unfinished }
        defer { place += 1 }
        return bytes[place]
    }

    /// The next byte that is not white space.
    private mutating func next() throws(JSONFault) -> UInt8 {
        _ = try peek()
        return try raw()
    }

    /// The next byte that is not white space, without consuming it. At the end of the text: `nil` if the text `mayEnd` here,
    /// otherwise an error.
    private mutating func peek(mayEnd: Bool = false) throws(JSONFault) -> UInt8? {
        while place < bytes.count {
            let byte = bytes[place]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d else { return byte }
            place += 1
        }
        if mayEnd { return nil }
        throw unfinished
    }

    // MARK: - Faults

    private var unfinished: JSONFault { fault(.unfinished, "is cut off") }
    private func fault(_ what: String) -> JSONFault { fault(.malformed, "is not valid JSON: \(what)") }
    private func tooMany(_ what: String, _ limit: Int) -> JSONFault { fault(.tooLarge, "has more than \(limit) \(what)") }

    /// The outermost object with only its complete members; `nil` if there are none, or the outermost value is no object.
    private var whatIsBefore: JSONPart? {
        guard wholeNodes > 0, var whole = nodes.first, bytes[Int(whole.start)] == UInt8(ascii: "{") else { return nil }
        (whole.end, whole.next) = (UInt32(place), UInt32(wholeNodes))
        return JSONPart(JSONPart.Text(bytes: text, nodes: [whole] + nodes[1..<wholeNodes]), 0)
    }

    private func fault(_ reason: JSONFault.Reason, _ sentence: String, name: String? = nil) -> JSONFault {
        let (line, column) = JSONPart.place(min(place, bytes.count), in: text)
        return JSONFault(reason: reason, sentence: sentence, name: name, line: line, column: column, before: whatIsBefore)
    }
}
