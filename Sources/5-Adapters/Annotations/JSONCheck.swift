/// Checks JSON before it is decoded: whether it is valid, where it is not, and whether it is within the limits, including those of a
/// layer, since merely decoding a thousand times more than allowed would already do the harm.
///
/// What is a mark and what is a point is decided by their position, not by the names of fields, which can be spelled in many ways.
struct JSONCheck {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: MarkFileLimits
    private var place = 0
    private var values = 0
    /// The entries in lists of the outermost object: marks, and ids of deleted marks.
    private var entries = 0
    /// The lists within a list of one of those entries: points.
    private var points = 0
    /// The end of the last value of the outermost object that was read completely.
    private var wholeUntil = 0
    /// The closing bracket of each list and object that is open.
    private var open: [UInt8] = []

    /// What is open where a mark begins, and where a point begins.
    private static let insideLayer = Array("}]".utf8)
    private static let insideMark = Array("}]}]".utf8)
    private static let insideOutermost = Array("}".utf8)

    /// Why `bytes` are not one JSON value within `limits`; and with that an object of everything that the outermost object has complete
    /// before that place.
    static func check(_ bytes: [UInt8], limits: MarkFileLimits) -> (fault: MarkFileFault, before: [UInt8])? {
        let found = bytes.withUnsafeBufferPointer { bytes -> (MarkFileFault, Int)? in
            var check = JSONCheck(bytes: bytes, limits: limits)
            do throws(MarkFileFault) {
                try check.run()
                return nil
            } catch {
                return (error, check.wholeUntil)
            }
        }
        return found.map { fault, end in (fault, end == 0 ? Array("{}".utf8) : bytes[..<end] + Self.insideOutermost) }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: MarkFileLimits) {
        self.bytes = bytes
        self.limits = limits
        // A byte order mark means nothing here.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
    }

    private mutating func run() throws(MarkFileFault) {
        repeat {
            if try beginValue() { continue }
            while try endsContainer() {}
        } while !open.isEmpty
        if try peek(mayEnd: true) != nil { throw fault("there is something after the end") }
    }

    /// Reads a value, or the beginning of one that contains others: then answers `true`, and the first of those comes next.
    private mutating func beginValue() throws(MarkFileFault) -> Bool {
        values += 1
        guard values <= limits.values else { throw .tooMany("values", limit: limits.values).placed(at: here) }
        if open == Self.insideLayer {
            entries += 1
            guard entries <= limits.marks else { throw .tooMany("marks", limit: limits.marks).placed(at: here) }
        }
        switch try next() {
        case UInt8(ascii: "{"):
            try push(UInt8(ascii: "}"))
            if try peek() == UInt8(ascii: "}") { return false }
            try key()
            return true
        case UInt8(ascii: "["):
            if open == Self.insideMark {
                points += 1
                guard points <= limits.points else { throw .tooMany("points", limit: limits.points).placed(at: here) }
            }
            try push(UInt8(ascii: "]"))
            return try peek() != UInt8(ascii: "]")
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("rue")
        case UInt8(ascii: "f"): try word("alse")
        case UInt8(ascii: "n"): try word("ull")
        case UInt8(ascii: "-"): try number(from: nil)
        case let digit where Self.isDigit(digit): try number(from: digit)
        default:
            place -= 1
            throw fault("a value is missing")
        }
        return false
    }

    /// Continues after a value: `true` if a container ended, `false` if another value follows or nothing is open.
    private mutating func endsContainer() throws(MarkFileFault) -> Bool {
        guard let closing = open.last else { return false }
        let end = place
        let byte = try next()
        // Only here, since a number may continue beyond the end of a cut-off file.
        if open == Self.insideOutermost { wholeUntil = end }
        if byte == closing {
            open.removeLast()
            return true
        }
        // Empty containers were handled before, so a value is always followed by a comma or the end.
        guard byte == UInt8(ascii: ",") else {
            place -= 1
            throw fault("a comma or “\(Character(UnicodeScalar(closing)))” is missing")
        }
        if closing == UInt8(ascii: "}") { try key() }
        return false
    }

    private mutating func push(_ closing: UInt8) throws(MarkFileFault) {
        guard open.count < limits.depth else { throw .tooMany("nested lists", limit: limits.depth).placed(at: here) }
        open.append(closing)
    }

    private mutating func key() throws(MarkFileFault) {
        guard try next() == UInt8(ascii: "\"") else {
            place -= 1
            throw fault("a name in quotes is missing")
        }
        try string()
        guard try next() == UInt8(ascii: ":") else {
            place -= 1
            throw fault("a colon is missing")
        }
    }

    private mutating func string() throws(MarkFileFault) {
        let start = place
        var isASCII = true
        while true {
            switch try raw() {
            case UInt8(ascii: "\""):
                guard isASCII || String(validating: bytes[start..<(place - 1)], as: UTF8.self) != nil else {
                    place = start
                    throw fault("text is not in UTF-8")
                }
                return
            case UInt8(ascii: "\\"):
                let escaped = try raw()
                if escaped == UInt8(ascii: "u") {
                    for _ in 0..<4 where !Character(UnicodeScalar(try raw())).isHexDigit { throw fault("an escape is wrong") }
                } else if !"\"\\/bfnrt".utf8.contains(escaped) {
                    throw fault("an escape is wrong")
                }
            case 0..<0x20: throw fault("text contains a control character")
            case 0x80...: isASCII = false
            default: break
            }
        }
    }

    private mutating func number(from first: UInt8?) throws(MarkFileFault) {
        let digit = if let first { first } else { try raw() }
        guard Self.isDigit(digit) else { throw fault("a number is wrong") }
        if digit != UInt8(ascii: "0") { skipDigits() }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            place += 1
            guard Self.isDigit(try raw()) else { throw fault("a number is wrong") }
            skipDigits()
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            var digit = try raw()
            if digit == UInt8(ascii: "+") || digit == UInt8(ascii: "-") { digit = try raw() }
            guard Self.isDigit(digit) else { throw fault("a number is wrong") }
            skipDigits()
        }
    }

    private mutating func skipDigits() {
        while place < bytes.count, Self.isDigit(bytes[place]) { place += 1 }
    }

    private mutating func word(_ rest: String) throws(MarkFileFault) {
        for byte in rest.utf8 where try raw() != byte { throw fault("a word is unknown") }
    }

    // MARK: - Bytes

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

    /// The next byte, whatever it is.
    private mutating func raw() throws(MarkFileFault) -> UInt8 {
        guard place < bytes.count else { throw MarkFileFault(.unfinished, "is cut off", at: here) }
        defer { place += 1 }
        return bytes[place]
    }

    /// The next byte that is not blank.
    private mutating func next() throws(MarkFileFault) -> UInt8 {
        _ = try peek()
        return try raw()
    }

    /// The same byte, without moving on; `nil` at the end, where the text may end.
    private mutating func peek(mayEnd: Bool = false) throws(MarkFileFault) -> UInt8? {
        while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
        if place < bytes.count { return bytes[place] }
        if mayEnd { return nil }
        throw MarkFileFault(.unfinished, "is cut off", at: here)
    }

    private func fault(_ what: String) -> MarkFileFault {
        MarkFileFault(.malformed, "is not valid JSON: \(what)", at: here)
    }

    private var here: MarkFileFault.Place {
        let before = bytes[..<min(place, bytes.count)]
        let line = before.lastIndex(of: 0x0a)
        return .line(before.count { $0 == 0x0a } + 1, column: before.count - (line.map { $0 + 1 } ?? 0) + 1)
    }
}
