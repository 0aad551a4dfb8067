import CCrypto

/// Computes a digest piece by piece.
public struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// Begins a digest.
    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
            fatalError("libcrypto offers no SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    // Looked up once: the search by name costs more than a short digest. An algorithm is immutable and shared by design.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Ends the digest.
    public consuming func finish() -> Digest {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { _ = EVP_DigestFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, nil) }
        return Digest(words: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian))
    }

    /// The digest of bytes in memory.
    public static func digest(of bytes: [UInt8]) -> Digest {
        var sum = SHA256()
        bytes.withUnsafeBytes { sum.update($0) }
        return sum.finish()
    }

    /// The digest of a text's UTF-8.
    public static func digest(of text: String) -> Digest {
        digest(of: Array(text.utf8))
    }
}
