import CPixels

/// Rows of pixels as in a PNG: a filter byte, then one byte or three for each pixel. The memory is reused from one image to
/// the next.
///
/// Bands without colour in an image in colour are kept in gray, which takes a third of the work whatever is done with them.
public final class PackedRows {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    /// The layout of the image in it; `nil` before the first.
    public private(set) var layout: ImageLayout?
    /// Which of its rows there is room for: whole bands.
    private var held = 0..<0
    /// How many bytes there are for each of them.
    private var room = 0
    /// For each band, whether its rows are gray.
    private var isGray: [Bool] = []

    /// Makes an empty one, without room for rows.
    public init() {}

    deinit {
        memory.deallocate()
    }

    /// Gives it a layout, and room for all rows or those of one band; their contents are then undefined.
    public func prepare(_ layout: ImageLayout, band: Int? = nil) {
        let rows = band.map(layout.rows(ofBand:)) ?? 0..<layout.height
        // In large steps, so that pages that differ by a few pixels can use the same memory.
        let step = 1 << 20
        let bytes = (max(layout.rowBytes, layout.inGray.rowBytes) * rows.count + step - 1) / step * step
        if memory.count < bytes {
            memory.deallocate()
            memory = .allocate(capacity: bytes)
        }
        self.layout = layout
        held = rows
        room = max(layout.rowBytes, layout.inGray.rowBytes)
        isGray = Array(repeating: layout.isGray, count: layout.bandCount)
    }

    /// Takes over a picture of words 0xXXRRGGBB, row after row: as gray if every pixel is exactly gray.
    public func pack(_ pixels: UnsafePointer<UInt32>, width: Int, height: Int, bandHeight: Int = ImageLayout.usualBandHeight) {
        let layout = ImageLayout(width: width, height: height, isGray: false, bandHeight: bandHeight)
        prepare(layout)
        for band in 0..<layout.bandCount { _ = pack(pixels, band: band) }
        guard isGray.allSatisfy({ $0 }) else { return }
        self.layout = layout.inGray
        if (0..<layout.bandCount).allSatisfy(isWhite) { self.layout = layout.inWhite }
    }

    /// Whether a gray band is all white. For most others the first pixels are enough to tell.
    private func isWhite(_ band: Int) -> Bool {
        guard let layout else { return false }
        return layout.rows(ofBand: band).allSatisfy { woodshed_is_white(row($0) + 1, layout.width) }
    }

    /// Takes over a band of a picture whose first row is at `pixels`; answers `false` if it has colour or ink but the layout none.
    public func pack(_ pixels: UnsafePointer<UInt32>, band: Int) -> Bool {
        guard let layout else { preconditionFailure("rows without a layout") }
        let range = layout.rows(ofBand: band)
        isGray[band] = true
        if range.allSatisfy({ woodshed_pack_gray(pixels + $0 * layout.width, layout.width, row($0) + 1) }) {
            return !layout.isWhite || isWhite(band)
        }
        isGray[band] = layout.isGray
        guard !layout.isGray else { return false }
        for y in range { woodshed_pack_rgb(pixels + y * layout.width, layout.width, row(y) + 1) }
        return true
    }

    /// Writes a band to a picture whose first row is at `pixels`.
    public func unpack(band: Int, to pixels: UnsafeMutablePointer<UInt32>) {
        guard let layout else { preconditionFailure("rows without a layout") }
        for y in layout.rows(ofBand: band) {
            let target = pixels + y * layout.width
            if isGray[band] {
                woodshed_unpack_gray(row(y) + 1, layout.width, target)
            } else {
                woodshed_unpack_rgb(row(y) + 1, layout.width, target)
            }
        }
    }

    /// How the rows of a band are laid out.
    func form(ofBand band: Int) -> ImageLayout {
        guard let layout else { preconditionFailure("rows without a layout") }
        return isGray[band] ? layout.inGray : layout
    }

    /// Sets how the rows of a band will be laid out.
    func lay(out band: Int, as form: ImageLayout) {
        precondition(form.inColour == layout?.inColour && (form.isGray || layout?.isGray == false), "rows of another layout")
        isGray[band] = form.isGray
    }

    /// Keeps a band in gray from now on if it has no colour.
    func narrow(_ band: Int) {
        let form = form(ofBand: band)
        let range = form.rows(ofBand: band)
        guard !form.isGray, range.allSatisfy({ woodshed_is_gray(row($0) + 1, form.width) }) else { return }
        for y in range {
            let (wide, gray) = (place(of: y, isGray: false), place(of: y, isGray: true))
            // This overwrites nothing that is still to be read, since rows get shorter.
            gray[0] = wide[0]
            woodshed_rgb_to_gray(wide + 1, form.width, gray + 1)
        }
        isGray[band] = true
    }

    /// One row, its filter byte first.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        guard let layout else { preconditionFailure("rows without a layout") }
        return place(of: y, isGray: isGray[y / layout.bandHeight])
    }

    /// Where a row is; a gray band takes up the beginning of its place.
    private func place(of y: Int, isGray: Bool) -> UnsafeMutablePointer<UInt8> {
        guard let layout, let base = memory.baseAddress else { preconditionFailure("rows without a layout") }
        precondition(held.contains(y), "a row that is not held")
        let start = y / layout.bandHeight * layout.bandHeight
        return base + (start - held.lowerBound) * room + (y - start) * (isGray ? layout.inGray : layout).rowBytes
    }
}
