import CDeflate

/// Fills memory with the chunks of a PNG.
struct ChunkWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// Bytes written.
    var count = 0

    /// Writes from the start of `buffer`, which must have room for all that comes.
    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    /// What is still free; whoever fills it adds to `count`.
    var room: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: buffer[count...]) }

    mutating func append(_ bytes: [UInt8]) {
        for byte in bytes {
            buffer[count] = byte
            count += 1
        }
    }

    mutating func append(_ number: UInt32) {
        append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    /// A chunk whose content `body` writes: its length, name, content and checksum.
    mutating func chunk(_ name: String, _ body: (inout ChunkWriter) -> Void) {
        let start = count
        append(UInt32(0))
        append(Array(name.utf8))
        body(&self)
        let end = count
        count = start
        append(UInt32(end - start - 8))
        count = end
        append(libdeflate_crc32(0, buffer.baseAddress.map { $0 + start + 4 }, end - start - 4))
    }
}
