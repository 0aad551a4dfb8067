import CZLib
import CZip
import Glibc

/// A ZIP archive in memory. Entries are looked up by name and never written to disk.
final class ZIPArchive {
    private let archive: OpaquePointer
    /// libzip's error code ZIP_ER_TRUNCATED_ZIP, which its older headers do not define.
    private static let truncated: Int32 = 35

    /// Opens an archive. `bytes` must outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: MarkFileLimits) throws(MarkFileFault) {
        guard Self.entries(in: bytes) <= limits.archiveEntries else { throw .tooMany("entries", limit: limits.archiveEntries) }
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(bytes.baseAddress, zip_uint64_t(bytes.count), 0, &error) else {
            throw MarkFileFault(.tooLarge, "does not fit into memory")
        }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            // An archive ends with its directory, so an archive without a directory is cut off. Newer versions of libzip have a
            // code for this.
            let isCut = [ZIP_ER_NOZIP, Self.truncated].contains(zip_error_code_zip(&error))
            let reason = String(cString: zip_error_strerror(&error))
            throw isCut
                ? MarkFileFault(.unfinished, "is cut off", at: .byte(bytes.count))
                : MarkFileFault(.malformed, "is not a valid ZIP archive: \(reason)")
        }
        self.archive = archive
    }

    deinit {
        zip_discard(archive)
    }

    /// Calls `body` with each unpacked piece of an entry; returns `false` if there is no such entry.
    func unpack(
        _ name: String, _ body: (UnsafeBufferPointer<UInt8>) throws(MarkFileFault) -> Void
    ) throws(MarkFileFault) -> Bool {
        let index = zip_name_locate(archive, name, 0)
        guard index >= 0 else { return false }
        var status = zip_stat_t()
        // Accept only the methods that Xournal++ uses: others may allocate any amount of memory before they return the first byte.
        guard zip_stat_index(archive, zip_uint64_t(index), 0, &status) == 0,
            Int32(status.comp_method) == ZIP_CM_STORE || Int32(status.comp_method) == ZIP_CM_DEFLATE
        else { throw MarkFileFault(.malformed, "is compressed in a way that Xournal++ does not use") }
        guard let file = zip_fopen_index(archive, zip_uint64_t(index), 0) else { throw failure(zip_get_error(archive)) }
        defer { zip_fclose(file) }
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)
        defer { room.deallocate() }
        while true {
            let count = zip_fread(file, room.baseAddress!, zip_uint64_t(room.count))
            guard count >= 0 else { throw failure(zip_file_get_error(file)) }
            guard count > 0 else { return true }
            try body(UnsafeBufferPointer(rebasing: room[..<Int(count)]))
        }
    }

    /// Unpacks an entry of at most `limit` bytes; `nil` if there is no such entry.
    func content(of name: String, limit: Int) throws(MarkFileFault) -> [UInt8]? {
        var content: [UInt8] = []
        let isThere = try unpack(name) { piece throws(MarkFileFault) in
            guard content.count + piece.count <= limit else { throw .tooMany("bytes in one picture", limit: limit) }
            content.append(contentsOf: piece)
        }
        return isThere ? content : nil
    }

    private func failure(_ error: UnsafeMutablePointer<zip_error_t>) -> MarkFileFault {
        MarkFileFault(.malformed, "is not a valid ZIP archive: \(String(cString: zip_error_strerror(error)))")
    }

    /// An upper bound on the number of entries, found before libzip allocates memory for them. It counts the four bytes `PK\1\2`,
    /// with which each entry in an archive's directory begins. The same bytes may also occur elsewhere.
    private static func entries(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        var rest = UnsafeRawBufferPointer(bytes)
        while let start = rest.baseAddress, let found = memchr(start, 0x50, rest.count) {
            rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(found) - start + 1)...])
            if rest.starts(with: [0x4b, 0x01, 0x02]) { count += 1 }
        }
        return count
    }
}

/// Unpacks gzip piece by piece, so the caller can stop at any piece.
enum Gzip {
    /// Calls `body` with each unpacked piece of `bytes`.
    static func unpack(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(MarkFileFault) -> Void
    ) throws(MarkFileFault) {
        // zlib's state points back at the stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        // 15 bits of window; adding 16 means "gzip and nothing else".
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw MarkFileFault(.tooLarge, "does not fit into memory")
        }
        defer { inflateEnd(stream) }
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)
        defer { room.deallocate() }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        // The length fits, because the limit on mark files is far below 4 GB.
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
                // A file may consist of several gzip members. Ignore any other bytes after the last member.
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
