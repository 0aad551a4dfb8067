import CPNG

/// A PNG as decoded by libpng, which is independent of our encoder.
public struct DecodedPNG: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// 1 for gray, 3 for RGB, and one more with alpha.
    public let channels: Int
    /// Rows from the top, with `channels` bytes per pixel.
    public let pixels: [UInt8]

    /// Decodes a PNG; nil if libpng reports an error or a warning.
    public init?(_ bytes: [UInt8]) {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        var (channels, pixels) = (0, [UInt8]())
        // Make all calls in one closure, since libpng keeps the pointer to the bytes from the first call to the last.
        let isWhole = bytes.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { return false }
            // Eight bits per channel, gray or RGB as in the file.
            image.format &= Self.colour | Self.alpha
            channels = (image.format & Self.colour == 0 ? 1 : 3) + (image.format & Self.alpha == 0 ? 0 : 1)
            let rowBytes = Int(image.width) * channels
            pixels = [UInt8](repeating: 0, count: rowBytes * Int(image.height))
            return png_image_finish_read(&image, nil, &pixels, png_int_32(rowBytes), nil) != 0 && image.warning_or_error == 0
        }
        guard isWhole else { return nil }
        (width, height, self.channels, self.pixels) = (Int(image.width), Int(image.height), channels, pixels)
    }

    /// The size in bytes of libpng's encoding of the same pixels, with its defaults: level 6, trying all filters. Nil if libpng fails.
    public func bytesByLibpng() -> Int? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = (channels < 3 ? 0 : Self.colour) | (channels % 2 == 0 ? Self.alpha : 0)
        defer { png_image_free(&image) }
        var count = 0
        let rowBytes = png_int_32(width * channels)
        return png_image_write_to_memory(&image, nil, &count, 0, pixels, rowBytes, nil) != 0 ? count : nil
    }

    /// PNG_FORMAT_FLAG_ALPHA and PNG_FORMAT_FLAG_COLOR, which Swift does not import.
    private static let alpha: png_uint_32 = 1
    private static let colour: png_uint_32 = 2
}
