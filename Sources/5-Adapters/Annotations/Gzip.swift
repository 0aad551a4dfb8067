import CZLib

/// Unpacks gzip piece by piece, so that whoever takes the pieces can stop it.
enum Gzip {
    /// Calls `body` with what `bytes` unpack to.
    static func unpack(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(MarkFileFault) -> Void
    ) throws(MarkFileFault) {
        // zlib's state points back at the stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        // 15 bits of window, plus 16 for "gzip and nothing else".
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw MarkFileFault(.tooLarge, "does not fit into memory")
        }
        defer { inflateEnd(stream) }
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)
        defer { room.deallocate() }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        // A mark file is far below 4 GB.
        stream.pointee.avail_in = UInt32(bytes.count)
        var offset: Int { bytes.count - Int(stream.pointee.avail_in) }
        while true {
            stream.pointee.next_out = room.baseAddress
            stream.pointee.avail_out = UInt32(room.count)
            let status = inflate(stream, Z_NO_FLUSH)
            let count = room.count - Int(stream.pointee.avail_out)
            if count > 0 { try body(UnsafeBufferPointer(rebasing: room[..<count])) }
            switch status {
            case Z_OK:
                continue
            case Z_STREAM_END:
                // Members may follow one another; anything else after the last one is not ours.
                guard bytes[offset...].starts(with: [0x1f, 0x8b]) else { return }
                inflateReset(stream)
            case Z_BUF_ERROR where stream.pointee.avail_in == 0:
                throw MarkFileFault(.unfinished, "is cut off", at: .byte(bytes.count))
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
                throw MarkFileFault(.malformed, "is not valid gzip: \(reason)", at: .byte(offset))
            }
        }
    }
}
