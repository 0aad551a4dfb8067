import CPNG

/// A PNG decoded by libpng, which knows nothing of our encoder.
public struct PNGImage: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// 1 for gray, 3 for RGB, one more with alpha.
    public let channels: Int
    /// Row by row from the top, `channels` bytes a pixel.
    public let pixels: [UInt8]

    /// Decodes; `nil` for what libpng calls broken, or only doubtful.
    public init?(_ bytes: [UInt8]) {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        // libpng keeps the pointer from the first call to the last.
        let decoded: (channels: Int, pixels: [UInt8])? = bytes.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { return nil }
            let channels = (image.format & 2 != 0 ? 3 : 1) + (image.format & 1 != 0 ? 1 : 0)
            // Eight bits of gray or RGB, as the file has it.
            image.format &= 3
            let rowBytes = Int(image.width) * channels
            var pixels = [UInt8](repeating: 0, count: rowBytes * Int(image.height))
            guard png_image_finish_read(&image, nil, &pixels, png_int_32(rowBytes), nil) != 0, image.warning_or_error == 0 else {
                return nil
            }
            return (channels, pixels)
        }
        guard let decoded else { return nil }
        width = Int(image.width)
        height = Int(image.height)
        channels = decoded.channels
        pixels = decoded.pixels
    }

    /// One pixel as 0xRRGGBB.
    public subscript(x: Int, y: Int) -> UInt32 {
        precondition(x >= 0 && x < width && y >= 0 && y < height, "outside of the image")
        let start = (y * width + x) * channels
        guard channels >= 3 else { return UInt32(pixels[start]) * 0x01_0101 }
        return pixels[start..<start + 3].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The content of the first chunk of this name in a PNG.
    public static func chunk(_ name: String, of png: [UInt8]) -> [UInt8]? {
        var offset = 8
        while offset + 12 <= png.count {
            let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard offset + 12 + length <= png.count else { return nil }
            if Array(name.utf8) == Array(png[offset + 4..<offset + 8]) { return Array(png[offset + 8..<offset + 8 + length]) }
            offset += 12 + length
        }
        return nil
    }
}
