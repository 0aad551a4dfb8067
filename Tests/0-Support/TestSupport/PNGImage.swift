import LibPNG

/// A PNG decoded by libpng, which is independent of our encoder.
public struct PNGImage: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// 1 for gray, 3 for RGB, and one more with alpha.
    public let channels: Int
    /// Rows from the top, with `channels` bytes per pixel.
    public let pixels: [UInt8]

    /// Decodes a PNG; nil if libpng reports an error or a warning.
    public init?(_ bytes: [UInt8]) {
        guard let decoded = DecodedPNG(bytes) else { return nil }
        width = decoded.width
        height = decoded.height
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

    /// The content of the first chunk with this name in a PNG.
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
