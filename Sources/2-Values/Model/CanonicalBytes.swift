/// Writes values in one unambiguous way, for digests. Every value except free text has a fixed length or states it.
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
