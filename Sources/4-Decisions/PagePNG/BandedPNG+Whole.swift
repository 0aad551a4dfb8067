extension BandedPNG {
    /// Reads an image and checks every byte of it: `nil` for anything that is not exactly as `PNGWriter` makes it.
    ///
    /// It unpacks all bands, one after the other, into `rows`.
    public init?(whole bytes: UnsafeRawBufferPointer, unpackingInto rows: PackedRows) {
        self.init(bytes)
        for band in 0..<layout.bandCount {
            rows.prepare(layout, band: band)
            guard isSound(band), decompress(band, into: rows) else { return nil }
        }
        // What comes before and after the bands has a fixed length.
        let head = 8 + 25 + (layout.isWhite ? 12 + PNGWriter.white.count : 0) + 8
        let ink = tellsInk ? PixelBox.length * layout.bandCount + 12 + 2 * PixelBox.length : 0
        let tail = bytes.count - 12 - ink - (12 + 68 + 4 * layout.bandCount) - 10
        let sum = Adler.sum(of: sums, lengths: (0..<layout.bandCount).map { layout.bytes(ofBand: $0) })
        guard bytes[head..<head + 2].elementsEqual(PNGWriter.streamHead), bytes[tail..<tail + 2].elementsEqual(PNGWriter.streamEnd),
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: tail + 2, as: UInt32.self)) == sum
        else { return nil }
    }
}
