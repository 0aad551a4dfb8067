/// FNV-1a over words of 64 bits: enough to tell one answer from another, and no more than that.
enum Checksum {
    static func text(_ bytes: [UInt8]) -> String {
        let prime: UInt64 = 0x100_0000_01b3
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        bytes.withUnsafeBytes { buffer in
            // By words, since a test reads megabytes without the compiler's help.
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
