import CDeflate

/// Compresses what browsers load again only with a new version of the program: once, as small as it gets.
func gzipped(_ bytes: [UInt8]) -> [UInt8]? {
    guard let compressor = libdeflate_alloc_compressor(12) else { return nil }
    defer { libdeflate_free_compressor(compressor) }
    let most = libdeflate_gzip_compress_bound(compressor, bytes.count)
    let packed = [UInt8](unsafeUninitializedCapacity: most) { target, count in
        count = bytes.withUnsafeBytes { libdeflate_gzip_compress(compressor, $0.baseAddress, $0.count, target.baseAddress, most) }
    }
    return packed.isEmpty ? nil : packed
}
