import CZLib
import CZip

/// Packs bytes in the formats that files of marks may have.
enum Packed {
    static func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        var bytes = bytes
        bytes.withUnsafeMutableBufferPointer { input in
            packed.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                _ = deflate(&stream, Z_FINISH)
            }
        }
        return Array(packed.prefix(Int(stream.total_out)))
    }

    static func gzip(_ text: String) -> [UInt8] { gzip(Array(text.utf8)) }

    /// A ZIP archive of these entries, deflated unless `method` differs.
    static func zip(_ entries: [(name: String, bytes: [UInt8])], method: Int32 = ZIP_CM_DEFLATE) -> [UInt8] {
        let source = zip_source_buffer_create(nil, 0, 0, nil)!
        zip_source_keep(source)
        defer { zip_source_free(source) }
        let archive = zip_open_from_source(source, ZIP_TRUNCATE, nil)!
        // libzip reads the bytes only when the archive is closed.
        var kept: [UnsafeMutableRawPointer] = []
        for (name, bytes) in entries {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
            copy.copyMemory(from: bytes, byteCount: bytes.count)
            kept.append(copy)
            let entry = zip_file_add(archive, name, zip_source_buffer(archive, copy, zip_uint64_t(bytes.count), 0)!, 0)
            zip_set_file_compression(archive, zip_uint64_t(entry), method, 0)
        }
        zip_close(archive)
        for copy in kept { copy.deallocate() }
        zip_source_open(source)
        var status = zip_stat_t()
        zip_source_stat(source, &status)
        var packed = [UInt8](repeating: 0, count: Int(status.size))
        zip_source_read(source, &packed, status.size)
        zip_source_close(source)
        return packed
    }
}
