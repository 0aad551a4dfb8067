/// FNV-1a over 64-bit words: just enough to tell answers apart.
enum Checksum {
    static func text(_ bytes: [UInt8]) -> String {
        let prime: UInt64 = 0x100_0000_01b3
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        bytes.withUnsafeBytes { buffer in
            // By words, since a test hashes megabytes in an unoptimised build.
            let words = buffer.count / 8
            var index = 0
            while index < words {
                hash = (hash ^ buffer.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)) &* prime
                hash ^= hash >> 29
                index &+= 1
            }
            for byte in buffer[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* prime }
        }
        return String(hash, radix: 16)
    }
}
