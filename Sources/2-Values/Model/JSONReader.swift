/// How large a JSON text from outside may be in each respect; anything larger is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    public enum Container: Hashable, Sendable {
        case object
        case list
    }

    /// Values in one place of which there may be fewer than of others.
    public struct Counted: Hashable, Sendable {
        /// What the values are called in a fault's sentence.
        let name: String
        /// What is open around them, from the outside.
        let place: [Container]
        /// Whether only lists count.
        let isList: Bool
        let most: Int

        public init(_ name: String, in place: [Container], onlyLists isList: Bool = false, most: Int) {
            (self.name, self.place, self.isList, self.most) = (name, place, isList, most)
        }
    }

    public var bytes: Int
    /// How deep lists and objects may be nested. A layer of the service uses 8.
    public var depth: Int
    /// Values of any kind; a point takes three.
    public var values: Int
    public var counted: [Counted]
    /// Whether a name may stand twice in the outermost object, where the last one counts.
    public var allowsRepeats: Bool

    /// Limits that the service's answers and mark files keep to easily. A text that uses them up costs some hundred megabytes for a moment.
    public init(
        bytes: Int = 128 << 20, depth: Int = 40, values: Int = 2_500_000, counted: [Counted] = [], allowsRepeats: Bool = true
    ) {
        (self.bytes, self.depth, self.values, self.counted, self.allowsRepeats) = (bytes, depth, values, counted, allowsRepeats)
    }
}

/// Why a JSON text was not read, and where.
public struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// It ends in the middle.
        case unfinished
        /// It is not JSON.
        case malformed
        /// It has more of something than its limits allow.
        case tooLarge
    }

    public let reason: Reason
    /// What is wrong, to follow the name of what was read in a sentence.
    public let sentence: String
    /// Both are counted from 1, the column in bytes.
    public let line: Int
    public let column: Int
    /// The members of the outermost object that were complete before that place.
    public let membersBefore: [String: JSONValue]

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}

/// Reads JSON from outside: in one pass, in time and memory that grow with its length and with nothing else.
///
/// Nested lists cost no more than the same number side by side, and whatever exceeds the limits is refused as soon as that is
/// seen. Nothing here is recursive, so no nesting can use up the stack.
public struct JSONReader {
    /// A list or object that has not ended yet; its parts are the last ones of `parts`, and of `names` for an object.
    private struct Open {
        let isObject: Bool
        let firstPart: Int
        let firstName: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var place = 0
    private var values = 0
    private var open: [Open] = []
    private var parts: [JSONValue] = []
    private var names: [String] = []
    /// How many parts of the outermost value are certainly complete: a number at the end of a cut-off text may go on.
    private var wholeParts = 0
    /// How many there are of each kind of value that the limits count.
    private var counts: [Int]

    /// The single value that `bytes` contain.
    public static func read(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONValue {
        let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONFault) in
                var reader = JSONReader(bytes: bytes, limits: limits)
                return try reader.whole()
            }
        }
        return try result.get()
    }

    /// Reads a `type` from `bytes`. Throws a `DecodingError` if the JSON is valid but of another form, otherwise a `JSONFault`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws -> Value {
        try read(bytes, limits: limits).decoded(as: type)
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        counts = limits.counted.map { _ in 0 }
        // A byte order mark means nothing here.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
    }

    private mutating func whole() throws(JSONFault) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw tooMany("bytes", limits.bytes) }
        while true {
            guard var value = try begunValue() else { continue }
            while let container = open.last {
                parts.append(value)
                if try goesOn(in: container) { break }
                value = try close(container)
            }
            guard open.isEmpty else { continue }
            guard try peek(mayEnd: true) == nil else {
                throw fault(.malformed, "is not valid JSON: there is something after the end", behind: value)
            }
            return value
        }
    }

    /// Reads a value; `nil` if it is one with parts, which come next.
    private mutating func begunValue() throws(JSONFault) -> JSONValue? {
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
        switch first {
        case UInt8(ascii: "{"):
            try checkDepth()
            if try ends(with: UInt8(ascii: "}")) { return .object([:]) }
            begin(isObject: true)
            try name()
            return nil
        case UInt8(ascii: "["):
            try checkDepth()
            if try ends(with: UInt8(ascii: "]")) { return .array([]) }
            begin(isObject: false)
            return nil
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try word("rue")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("alse")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("ull")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            place -= 1
            return try number()
        default:
            place -= 1
            throw fault("a value is missing")
        }
    }

    /// Whether these and no other lists and objects are open.
    private func isInside(_ place: [JSONLimits.Container]) -> Bool {
        open.count == place.count && zip(open, place).allSatisfy { $0.isObject == ($1 == .object) }
    }

    private mutating func begin(isObject: Bool) {
        open.append(Open(isObject: isObject, firstPart: parts.count, firstName: names.count))
    }

    /// The value that has just ended, made of its parts. Of equal names the last one counts.
    private mutating func close(_ container: Open) throws(JSONFault) -> JSONValue {
        if !limits.allowsRepeats, open.count == 1, container.isObject {
            var seen: Set<String> = []
            if let name = names.first(where: { !seen.insert($0).inserted }) {
                throw fault(.malformed, "has “\(name.prefix(40))” twice: put what both say into one")
            }
        }
        open.removeLast()
        // Copied out before they are removed: a slice that is still in use would make each removal copy all parts.
        let whole: JSONValue =
            container.isObject
            ? .object(Dictionary(zip(names[container.firstName...], parts[container.firstPart...])) { _, last in last })
            : .array(Array(parts[container.firstPart...]))
        parts.removeLast(parts.count - container.firstPart)
        names.removeLast(names.count - container.firstName)
        return whole
    }

    /// Moves on after a part. Returns whether another one follows.
    private mutating func goesOn(in container: Open) throws(JSONFault) -> Bool {
        let closing = UInt8(ascii: container.isObject ? "}" : "]")
        let byte = try next()
        if open.count == 1 { wholeParts = parts.count }
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
        names.append(try string())
        guard try next() == UInt8(ascii: ":") else {
            place -= 1
            throw fault("a colon is missing")
        }
    }

    private mutating func word(_ rest: String) throws(JSONFault) {
        for byte in rest.utf8 where try raw() != byte { throw fault("a word is unknown") }
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = place
        if bytes[place] == UInt8(ascii: "-") { place += 1 }
        let first = try digit()
        if first != UInt8(ascii: "0") { skipDigits() }
        var isWhole = true
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            isWhole = false
            place += 1
            try digit()
            skipDigits()
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            place += 1
            if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
            try digit()
            skipDigits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole, let whole = Int(text) { return whole == 0 ? .number(Double(text) ?? 0) : .whole(whole) }
        // A number that is too large becomes the largest one.
        let largest = Double.greatestFiniteMagnitude
        let number = min(max(Double(text) ?? 0, -largest), largest)
        if let whole = Int(exactly: number), whole.magnitude > JSONValue.largestExactWhole { return .integer(whole) }
        return .number(number)
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

    /// The text up to the closing quote.
    private mutating func string() throws(JSONFault) -> String {
        let start = place
        // The text before the last escape, if there was one.
        var text: [UInt8] = []
        var plain = place
        while true {
            switch try raw() {
            case UInt8(ascii: "\""):
                let tail = bytes[plain..<(place - 1)]
                let whole = text.isEmpty ? String(validating: tail, as: UTF8.self) : String(validating: text + tail, as: UTF8.self)
                guard let whole else {
                    place = start
                    throw fault("text is not in UTF-8")
                }
                return whole
            case UInt8(ascii: "\\"):
                text.append(contentsOf: bytes[plain..<(place - 1)])
                try escaped(into: &text)
                plain = place
            case 0..<0x20: throw fault("text contains a control character")
            default: break
            }
        }
    }

    private mutating func escaped(into text: inout [UInt8]) throws(JSONFault) {
        let sign = try raw()
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(sign)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            // A character beyond the first 65,536 is written as two escapes.
            if (0xd800..<0xdc00).contains(code) {
                guard try raw() == UInt8(ascii: "\\"), try raw() == UInt8(ascii: "u") else { throw fault("an escape is wrong") }
                let low = try hexadecimal()
                guard (0xdc00..<0xe000).contains(low) else { throw fault("an escape is wrong") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = UnicodeScalar(code) else { throw fault("an escape is wrong") }
            text.append(contentsOf: String(scalar).utf8)
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

    /// The next byte, whatever it is.
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

    /// The next byte that is not white space, without consuming it; `nil` at the end, if it `mayEnd` there.
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

    private func fault(_ reason: JSONFault.Reason, _ sentence: String, behind value: JSONValue = .null) -> JSONFault {
        let before = bytes[..<min(place, bytes.count)]
        let line = before.lastIndex(of: 0x0a)
        var members = open.first?.isObject == true ? Array(zip(names, parts.prefix(wholeParts))) : []
        if case .object(let whole) = value { members = whole.map { ($0.key, $0.value) } }
        return JSONFault(
            reason: reason, sentence: sentence, line: before.count { $0 == 0x0a } + 1,
            column: before.count - (line.map { $0 + 1 } ?? 0) + 1, membersBefore: Dictionary(members) { _, last in last })
    }
}
