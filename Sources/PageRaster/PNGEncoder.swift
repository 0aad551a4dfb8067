import CDeflate
public import Model

/// Makes PNG files of rasters: 8 bit gray where every pixel is exactly gray, else RGB; the same raster always gives the same bytes.
public final class PNGEncoder {
    private let compressor: OpaquePointer
    /// The unpacked rows, kept from one image to the next.
    private var rows: [UInt8] = []

    /// Private and ancillary, and by its last letter not to be copied to a changed image: it tells what these pixels were made from.
    private static let keyChunk = "wsKY"
    /// Higher levels take twice the time to save less than a tenth.
    private static let level: Int32 = 3

    /// Makes an encoder.
    public init() {
        guard let compressor = libdeflate_alloc_compressor(Self.level) else { fatalError("out of memory") }
        self.compressor = compressor
    }

    deinit {
        libdeflate_free_compressor(compressor)
    }

    /// The PNG of `raster`, which says that it was made under `key`.
    public func encode(_ raster: Raster, key: ImageKey) throws(RasterFailure) -> [UInt8] {
        let isGray = raster.isGray
        let used = unpack(raster, isGray: isGray)
        let bound = libdeflate_zlib_compress_bound(compressor, used)
        // Room for the parts around the compressed rows: 8 + 25 + 12 + 76 + 12.
        let png = [UInt8](unsafeUninitializedCapacity: bound + 133) { buffer, count in
            var writer = ChunkWriter(buffer)
            writer.append([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
            writer.chunk("IHDR") {
                $0.append(UInt32(raster.width))
                $0.append(UInt32(raster.height))
                // Bits a channel, gray or RGB, and the only compression, filters and interlacing that we use.
                $0.append([8, isGray ? 0 : 2, 0, 0, 0])
            }
            writer.chunk("IDAT") { writer in
                let room = writer.room
                writer.count += libdeflate_zlib_compress(compressor, rows, used, room.baseAddress, room.count)
            }
            writer.chunk(Self.keyChunk) { $0.append(Array(key.digest.hex.utf8)) }
            writer.chunk("IEND") { _ in }
            count = writer.count
        }
        return png
    }

    /// Puts every row, a filter byte of 0 (none) before it, into `rows`; answers how many bytes that are.
    private func unpack(_ raster: Raster, isGray: Bool) -> Int {
        let rowBytes = 1 + raster.width * (isGray ? 1 : 3)
        let used = rowBytes * raster.height
        if rows.count < used { rows = [UInt8](repeating: 0, count: used) }
        rows.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for y in 0..<raster.height {
                let target = base + y * rowBytes
                target[0] = 0
                if isGray {
                    Self.unpackGray(raster.row(y), count: raster.width, to: target + 1)
                } else {
                    Self.unpackColour(raster.row(y), count: raster.width, to: target + 1)
                }
            }
        }
        return used
    }

    // `while` loops over pointers: they see every pixel, and a debug build is slow at ranges.

    private static func unpackGray(_ row: UnsafeMutablePointer<UInt32>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
        var x = 0
        while x < count {
            target[x] = UInt8(truncatingIfNeeded: row[x])
            x = x &+ 1
        }
    }

    private static func unpackColour(_ row: UnsafeMutablePointer<UInt32>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
        var x = 0
        while x < count {
            let word = row[x]
            let pixel = target + x &* 3
            pixel[0] = UInt8(truncatingIfNeeded: word &>> 16)
            pixel[1] = UInt8(truncatingIfNeeded: word &>> 8)
            pixel[2] = UInt8(truncatingIfNeeded: word)
            x = x &+ 1
        }
    }
}

extension Raster {
    /// Whether every pixel's red, green and blue are the same.
    var isGray: Bool {
        for y in 0..<height {
            let row = row(y)
            var difference: UInt32 = 0
            var x = 0
            while x < width {
                let word = row[x]
                // Green against blue in the lowest byte, red against green in the next; what is above is undefined.
                difference |= word ^ (word &>> 8)
                x = x &+ 1
            }
            if difference & 0xffff != 0 { return false }
        }
        return true
    }
}
