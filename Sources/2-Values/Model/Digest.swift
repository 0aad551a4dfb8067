import CCrypto

/// A SHA-256 digest.
public struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// Makes a digest from 32 bytes. Fails for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }

    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Reads 64 hexadecimal digits. Fails for any other text.
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

    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    public var hex: String { Self.hex(words.0) + Self.hex(words.1) + Self.hex(words.2) + Self.hex(words.3) }

    /// The first 32 hexadecimal digits. These 128 bits are enough for a file's name, since equal names by accident are out of the question.
    public var shortHex: String { Self.hex(words.0) + Self.hex(words.1) }

    public var description: String { shortHex }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) {
        // For hashing, any 64 bits of a digest are as good as the whole digest.
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

extension Digest: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self = digest
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

/// The first 128 bits of a digest. They are enough for a file's name, since equal names by accident are out of the question.
struct ShortDigest: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ digest: Digest) {
        (high, low) = (digest.words.0, digest.words.1)
    }

    /// Reads 32 hexadecimal digits in lower case, as `hex` writes them. Fails for any other text.
    init?(hex: some Sequence<UInt8>) {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        var count = 0
        for character in hex {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            words = (words.high << 4 | words.low >> 60, words.low << 4 | UInt64(digit))
            count += 1
        }
        guard count == 32 else { return nil }
        (high, low) = words
    }

    var hex: String { Digest.hex(high) + Digest.hex(low) }

    func hash(into hasher: inout Hasher) {
        // For hashing, any 64 bits of a digest are as good as the whole digest.
        hasher.combine(low)
    }

    static func < (left: ShortDigest, right: ShortDigest) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// Computes a digest piece by piece.
public struct SHA256: ~Copyable {
    private let context: OpaquePointer

    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
            fatalError("libcrypto offers no SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    // The algorithm, looked up only once, since the search by name takes longer than a short digest. Algorithms are
    // immutable and made to be shared.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    public consuming func finish() -> Digest {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { _ = EVP_DigestFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, nil) }
        return Digest(words: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian))
    }

    public static func digest(of bytes: [UInt8]) -> Digest {
        var sum = SHA256()
        bytes.withUnsafeBytes { sum.update($0) }
        return sum.finish()
    }

    public static func digest(of text: String) -> Digest {
        digest(of: Array(text.utf8))
    }
}

/// Writes values for digests in an unambiguous way: every value except free text has a fixed length or states its length.
struct CanonicalBytes {
    private var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    var digest: Digest { SHA256.digest(of: bytes) }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ number: Int) {
        append(UInt64(bitPattern: Int64(number)))
    }

    mutating func append(_ color: Color) {
        bytes.append(color.red)
        bytes.append(color.green)
        bytes.append(color.blue)
        bytes.append(color.alpha)
    }

    mutating func append(_ digest: Digest?) {
        bytes.append(digest == nil ? 0 : 1)
        if let digest { append(digest) }
    }

    mutating func append(_ digest: Digest) {
        append(digest.words.0)
        append(digest.words.1)
        append(digest.words.2)
        append(digest.words.3)
    }

    private mutating func append(_ word: UInt64) {
        withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
