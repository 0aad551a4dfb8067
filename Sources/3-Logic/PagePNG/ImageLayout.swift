/// How an image's rows are stored as bytes, and how they are divided into bands.
public struct ImageLayout: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// Whether a pixel takes one byte instead of three.
    public let isGray: Bool
    /// Whether all pixels are white. The image then also counts as gray, but a pixel takes one bit.
    public let isWhite: Bool
    /// The number of rows in a band, except that the last band may have fewer.
    public let bandHeight: Int

    /// The usual number of rows in a band. With fewer rows, drawing a mark would be cheaper, but the file would be larger.
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
    /// The bytes of a row: one for the filter, then the pixels.
    public var rowBytes: Int { 1 + (isWhite ? (width + 7) / 8 : width * channels) }
    public var bandCount: Int { (height + bandHeight - 1) / bandHeight }

    /// The rows of a band.
    public func rows(ofBand band: Int) -> Range<Int> { band * bandHeight..<min((band + 1) * bandHeight, height) }

    /// The size of a band before compression.
    func bytes(ofBand band: Int) -> Int { rows(ofBand: band).count * rowBytes }

    /// The bands that contain at least one of these rows.
    public func bands(touching rows: Range<Int>) -> Range<Int> {
        let rows = rows.clamped(to: 0..<height)
        return rows.isEmpty ? 0..<0 : rows.lowerBound / bandHeight..<(rows.upperBound - 1) / bandHeight + 1
    }

    /// The layout of this image if all its pixels are white.
    var inWhite: ImageLayout { ImageLayout(width: width, height: height, isGray: true, isWhite: true, bandHeight: bandHeight) }
    /// The layout of this image in gray, with one byte for each pixel.
    public var inGray: ImageLayout { ImageLayout(width: width, height: height, isGray: true, bandHeight: bandHeight) }
    public var inColour: ImageLayout { ImageLayout(width: width, height: height, isGray: false, bandHeight: bandHeight) }

    /// The Adler-32 of the whole image, computed from the sums of its bands.
    func checksum(ofBands sums: [UInt32]) -> UInt32 {
        let base: UInt64 = 65521
        var low: UInt64 = 1
        var high: UInt64 = 0
        for (band, sum) in sums.enumerated() {
            // The sum of each band began with 1, but in the sum of the whole image, it would have begun with `low`.
            high = (high + UInt64(sum >> 16) + (low + base - 1) % base * (UInt64(bytes(ofBand: band)) % base)) % base
            low = (low + UInt64(sum & 0xffff) + base - 1) % base
        }
        return UInt32(high << 16 | low)
    }
}
