/// A SHA-256 of something.
public struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bytes as big-endian words.
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// Makes a digest from 32 bytes; `nil` from any other number of them.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }

    /// Takes the words as they are.
    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// Reads 64 hexadecimal digits.
    public init?(hex: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in hex.utf8 {
            guard let value = Self.value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else { return nil }
        self.init(bytes: bytes)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    /// All 64 hexadecimal digits.
    public var hex: String { Self.hex(words.0) + Self.hex(words.1) + Self.hex(words.2) + Self.hex(words.3) }

    /// The first 32 hexadecimal digits: enough for a file's name, since 128 bits rule out any accident.
    public var shortHex: String { Self.hex(words.0) + Self.hex(words.1) }

    public var description: String { shortHex }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) {
        // Any 64 bits of a digest are as good as all of them.
        hasher.combine(words.0)
    }

    static func hex(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
