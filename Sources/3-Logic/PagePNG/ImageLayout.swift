/// How an image's rows are laid out in bytes, and how they are cut into bands.
public struct ImageLayout: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// One byte a pixel, or three.
    public let isGray: Bool
    /// Whether it is gray and all white: then a pixel takes one bit.
    public let isWhite: Bool
    /// The rows in a band; the last band may have fewer.
    public let bandHeight: Int

    /// With fewer rows, drawing a mark would cost less, but the file would be larger.
    public static let usualBandHeight = 64

    public init(width: Int, height: Int, isGray: Bool, isWhite: Bool = false, bandHeight: Int = Self.usualBandHeight) {
        precondition(width > 0 && height > 0 && bandHeight > 0, "an image has pixels")
        precondition(isGray || !isWhite, "white is a gray")
        self.isWhite = isWhite
        self.width = width
        self.height = height
        self.isGray = isGray
        self.bandHeight = bandHeight
    }

    public var channels: Int { isGray ? 1 : 3 }
    /// A filter byte, then the pixels.
    public var rowBytes: Int { 1 + (isWhite ? (width + 7) / 8 : width * channels) }
    public var bandCount: Int { (height + bandHeight - 1) / bandHeight }

    /// The rows of a band.
    public func rows(ofBand band: Int) -> Range<Int> { band * bandHeight..<min((band + 1) * bandHeight, height) }

    /// The bytes of a band before they are compressed.
    func bytes(ofBand band: Int) -> Int { rows(ofBand: band).count * rowBytes }

    /// The bands that contain any of these rows.
    public func bands(touching rows: Range<Int>) -> Range<Int> {
        let rows = rows.clamped(to: 0..<height)
        return rows.isEmpty ? 0..<0 : rows.lowerBound / bandHeight..<(rows.upperBound - 1) / bandHeight + 1
    }

    /// The layout of this image if every pixel is white.
    var inWhite: ImageLayout { ImageLayout(width: width, height: height, isGray: true, isWhite: true, bandHeight: bandHeight) }
    /// The layout of this image in gray, a byte a pixel.
    public var inGray: ImageLayout { ImageLayout(width: width, height: height, isGray: true, bandHeight: bandHeight) }
    public var inColour: ImageLayout { ImageLayout(width: width, height: height, isGray: false, bandHeight: bandHeight) }

    /// The Adler-32 of all bytes, worked out from that of each band.
    func checksum(ofBands sums: [UInt32]) -> UInt32 {
        let base: UInt64 = 65521
        var low: UInt64 = 1
        var high: UInt64 = 0
        for (band, sum) in sums.enumerated() {
            // Each band's sum began with 1, but should have begun with `low`.
            high = (high + UInt64(sum >> 16) + (low + base - 1) % base * (UInt64(bytes(ofBand: band)) % base)) % base
            low = (low + UInt64(sum & 0xffff) + base - 1) % base
        }
        return UInt32(high << 16 | low)
    }
}
