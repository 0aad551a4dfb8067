import PagePNG

extension Raster {
    /// Becomes `source` at a smaller size: each pixel is the exact mean of the area that it covers.
    public func shrink(_ source: Raster, width: Int, height: Int) throws(RasterFailure) {
        let rows = PackedRows()
        let small = PackedRows()
        rows.pack(source.row(0), width: source.width, height: source.height)
        small.shrink(rows, width: width, height: height)
        try prepare(width: width, height: height)
        for band in 0..<(small.layout?.bandCount ?? 0) { small.unpack(band: band, to: row(0)) }
    }
}
