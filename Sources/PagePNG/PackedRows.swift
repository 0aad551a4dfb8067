import CPixels

/// Rows of pixels as PNG has them: a filter byte, then a byte or three for each pixel. Its memory is kept from one image to
/// the next.
///
/// The bands of an image in colour that show none are kept in gray, which is a third of the work for whatever is done with them.
public final class PackedRows {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    /// The image that is in it; `nil` before the first.
    public private(set) var layout: ImageLayout?
    /// The rows of it that there is room for: whole bands.
    private var held = 0..<0
    /// How many bytes each of them has room for.
    private var room = 0
    /// For each band, whether its rows are gray.
    private var isGray: [Bool] = []

    /// Makes room for nothing yet.
    public init() {}

    deinit {
        memory.deallocate()
    }

    /// Gives it a layout, and room for all rows or those of a band; what is in them is then undefined.
    public func prepare(_ layout: ImageLayout, band: Int? = nil) {
        let rows = band.map(layout.rows(ofBand:)) ?? 0..<layout.height
        // In large steps: pages that differ by a few pixels share their memory.
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

    /// Whether a band of gray shows nothing but white. Others are found out by their first pixels.
    private func isWhite(_ band: Int) -> Bool {
        guard let layout else { return false }
        return layout.rows(ofBand: band).allSatisfy { woodshed_is_white(row($0) + 1, layout.width) }
    }

    /// Takes over a band of a picture whose first row is at `pixels`; answers `false` where it has colour, or ink, and the layout has none.
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

    /// Hands a band over to a picture whose first row is at `pixels`.
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

    /// Says how the rows of a band will be laid out.
    func lay(out band: Int, as form: ImageLayout) {
        precondition(form.inColour == layout?.inColour && (form.isGray || layout?.isGray == false), "rows of another layout")
        isGray[band] = form.isGray
    }

    /// Keeps a band in gray from now on if it shows no colour.
    func narrow(_ band: Int) {
        let form = form(ofBand: band)
        let range = form.rows(ofBand: band)
        guard !form.isGray, range.allSatisfy({ woodshed_is_gray(row($0) + 1, form.width) }) else { return }
        for y in range {
            let (wide, gray) = (place(of: y, isGray: false), place(of: y, isGray: true))
            // Nothing that is still to be read is written over: rows become shorter.
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

    /// Where a row is; a band of gray takes the beginning of its place.
    private func place(of y: Int, isGray: Bool) -> UnsafeMutablePointer<UInt8> {
        guard let layout, let base = memory.baseAddress else { preconditionFailure("rows without a layout") }
        precondition(held.contains(y), "a row that is not held")
        let start = y / layout.bandHeight * layout.bandHeight
        return base + (start - held.lowerBound) * room + (y - start) * (isGray ? layout.inGray : layout).rowBytes
    }
}
