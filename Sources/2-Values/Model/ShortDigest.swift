/// The first 128 bits of a digest: enough for a file's name, since they rule out any accident.
struct ShortDigest: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ digest: Digest) {
        (high, low) = (digest.words.0, digest.words.1)
    }

    /// Reads 32 hexadecimal digits in the spelling of `hex`; `nil` for any other spelling.
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
        // Any 64 bits of a digest are as good as all of them.
        hasher.combine(low)
    }

    static func < (left: ShortDigest, right: ShortDigest) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
