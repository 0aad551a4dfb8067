/// 1.3 MB that unpack to 200 MiB of zeros, in a valid gzip file.
enum GzipBomb {
    static let bytes: [UInt8] = {
        // One block with deflate's fixed codes: a zero, and then 812 849 times "the last byte, 258 times more". Eight of those make
        // 13 bytes, which are repeated.
        let start: [UInt8] = [0x63, 0x18]
        let eightMatches: [UInt8] = [0x05, 0xa3, 0x60, 0x14, 0x8c, 0x82, 0x51, 0x30, 0x0a, 0x46, 0xc1, 0x28, 0x18]
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
        return header + start + Array(repeatElement(eightMatches, count: 101_606).joined()) + eightMatches.prefix(1) + [0]
            + littleEndian(checksum) + littleEndian(UInt32(size))
    }()

    static let size = 1 + 258 * (8 * 101_606 + 1)

    /// The CRC-32 of that many zeros.
    private static let checksum: UInt32 = 0xa420_1d66

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
