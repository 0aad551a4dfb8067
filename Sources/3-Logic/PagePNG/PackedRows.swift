import CPixels

/// Rows of pixels as in a PNG: a filter byte, then one or three bytes for each pixel. The memory is reused from image to image.
///
/// In an image with colour, bands without colour are kept in gray, which takes a third of the work in every operation.
public final class PackedRows {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    /// The layout of the present image; `nil` before the first one.
    public private(set) var layout: ImageLayout?
    /// The rows for which there is memory at present: those of all bands, or of one.
    private var held = 0..<0
    /// The bytes reserved for each row.
    private var room = 0
    /// Whether the rows of each band are kept in gray.
    private var isGray: [Bool] = []

    public init() {}

    deinit { memory.deallocate() }

    /// Sets a layout, and makes room for all rows or only for those of one band. The contents of the rows are undefined.
    public func prepare(_ layout: ImageLayout, band: Int? = nil) {
        let rows = band.map(layout.rows(ofBand:)) ?? 0..<layout.height
        // Memory grows in steps of 1 MiB, so that pages whose sizes differ by a few pixels can reuse it.
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

    /// Converts a picture whose pixels are words 0xXXRRGGBB, row after row. If every pixel is exactly gray, the image becomes gray; if
    /// every pixel is white, it becomes white.
    public func pack(_ pixels: UnsafePointer<UInt32>, width: Int, height: Int, bandHeight: Int = ImageLayout.usualBandHeight) {
        let layout = ImageLayout(width: width, height: height, isGray: false, bandHeight: bandHeight)
        prepare(layout)
        for band in 0..<layout.bandCount { _ = pack(pixels, band: band) }
        guard isGray.allSatisfy({ $0 }) else { return }
        self.layout = layout.inGray
        if (0..<layout.bandCount).allSatisfy(isWhite) { self.layout = layout.inWhite }
    }

    /// Whether a gray band is all white. In most other bands, one of the first pixels already ends the check.
    private func isWhite(_ band: Int) -> Bool {
        guard let layout else { return false }
        return layout.rows(ofBand: band).allSatisfy { woodshed_is_white(row($0) + 1, layout.width) }
    }

    /// Converts a band of a picture whose first row is at `pixels`. Returns `false` if the layout is gray or white and the band is not.
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

    /// Copies a band to a picture whose first row is at `pixels`.
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

    /// The present layout of a band's rows.
    func form(ofBand band: Int) -> ImageLayout {
        guard let layout else { preconditionFailure("rows without a layout") }
        return isGray[band] ? layout.inGray : layout
    }

    /// Sets the layout that a band's rows will be stored in.
    func lay(out band: Int, as form: ImageLayout) {
        precondition(form.inColour == layout?.inColour && (form.isGray || layout?.isGray == false), "rows of another layout")
        isGray[band] = form.isGray
    }

    /// Converts a band to gray if none of its pixels has colour.
    func narrow(_ band: Int) {
        let form = form(ofBand: band)
        let range = form.rows(ofBand: band)
        guard !form.isGray, range.allSatisfy({ woodshed_is_gray(row($0) + 1, form.width) }) else { return }
        for y in range {
            let (wide, gray) = (place(of: y, isGray: false), place(of: y, isGray: true))
            // The rows get shorter, so no pixel is overwritten before it was read.
            gray[0] = wide[0]
            woodshed_rgb_to_gray(wide + 1, form.width, gray + 1)
        }
        isGray[band] = true
    }

    /// The address of a row in its band's present form. A row begins with its filter byte.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        guard let layout else { preconditionFailure("rows without a layout") }
        return place(of: y, isGray: isGray[y / layout.bandHeight])
    }

    /// The address of a row. The rows of a gray band fill only the beginning of the band's memory.
    private func place(of y: Int, isGray: Bool) -> UnsafeMutablePointer<UInt8> {
        guard let layout, let base = memory.baseAddress else { preconditionFailure("rows without a layout") }
        precondition(held.contains(y), "a row that is not held")
        let start = y / layout.bandHeight * layout.bandHeight
        return base + (start - held.lowerBound) * room + (y - start) * (isGray ? layout.inGray : layout).rowBytes
    }
}

extension PackedRows {
    /// Makes these rows a smaller copy of `source`, in which each pixel is the exact mean of the area that it covers.
    public func shrink(_ source: PackedRows, width: Int, height: Int) {
        guard let from = source.layout else { preconditionFailure("nothing to shrink") }
        precondition(width <= from.width && height <= from.height, "only ever smaller")
        let layout = ImageLayout(width: width, height: height, isGray: from.isGray, isWhite: from.isWhite, bandHeight: from.bandHeight)
        prepare(layout)
        let shrinker = Shrinker(of: source, from, to: layout)
        for band in 0..<layout.bandCount {
            let range = layout.rows(ofBand: band)
            lay(out: band, as: range.allSatisfy(shrinker.isGray) ? layout.inGray : layout)
            for y in range { shrinker.write(y, to: row(y) + 1, inColour: !form(ofBand: band).isGray) }
        }
    }
}

/// Makes each row of a smaller image from the source rows that it covers. Positions are integers in a common unit: source row y
/// reaches from y * height to (y + 1) * height, and target row t from t * source height to (t + 1) * source height.
private final class Shrinker {
    private let source: PackedRows
    private let from: ImageLayout
    private let layout: ImageLayout
    private let sums: UnsafeMutableBufferPointer<UInt32>
    /// Buffers. `gray` is for a gray row that is needed in colour; `widened` is for gray source rows that are covered together with
    /// coloured ones.
    private let gray: UnsafeMutableBufferPointer<UInt8>
    private let widened: UnsafeMutableBufferPointer<UInt8>

    init(of source: PackedRows, _ from: ImageLayout, to layout: ImageLayout) {
        self.source = source
        self.from = from
        self.layout = layout
        sums = .allocate(capacity: 2 * from.width * from.channels)
        gray = .allocate(capacity: layout.width)
        // A target row covers some whole source rows, and a part of one source row at each end.
        widened = .allocate(capacity: from.isGray ? 0 : (from.height / layout.height + 2) * from.width * 3)
    }

    deinit {
        sums.deallocate()
        gray.deallocate()
        widened.deallocate()
    }

    private func covered(by y: Int) -> Range<Int> { y * from.height / layout.height..<((y + 1) * from.height - 1) / layout.height + 1 }

    /// Whether all source rows that the target row covers are gray.
    func isGray(_ y: Int) -> Bool { from.bands(touching: covered(by: y)).allSatisfy { source.form(ofBand: $0).isGray } }

    /// Makes a target row, with three bytes for each pixel if `inColour` or if it covers colour, otherwise with one.
    func write(_ y: Int, to target: UnsafeMutablePointer<UInt8>, inColour: Bool) {
        let rows = covered(by: y)
        guard isGray(y) else { return shrink(rows.map { coloured($0, place: $0 - rows.lowerBound) }, y, channels: 3, to: target) }
        let grayRows = rows.map { UnsafePointer(source.row($0) + 1) }
        guard inColour, let row = gray.baseAddress else { return shrink(grayRows, y, channels: 1, to: target) }
        shrink(grayRows, y, channels: 1, to: row)
        woodshed_gray_to_rgb(row, layout.width, target)
    }

    private func coloured(_ y: Int, place: Int) -> UnsafePointer<UInt8> {
        let row = UnsafePointer(source.row(y) + 1)
        guard source.form(ofBand: y / from.bandHeight).isGray, let base = widened.baseAddress else { return row }
        let wide = base + place * from.width * 3
        woodshed_gray_to_rgb(row, from.width, wide)
        return UnsafePointer(wide)
    }

    private func shrink(_ rows: [UnsafePointer<UInt8>], _ y: Int, channels: Int, to target: UnsafeMutablePointer<UInt8>) {
        let (start, end) = (y * from.height, (y + 1) * from.height)
        let first = min((start / layout.height + 1) * layout.height, end) - start
        let last = end - (end - 1) / layout.height * layout.height
        let pointers = rows.map(Optional.some)
        woodshed_shrink(
            pointers, pointers.count, UInt16(first), UInt16(layout.height), UInt16(last), from.width, channels,
            UInt64(from.width) * UInt64(from.height), target, layout.width, sums.baseAddress)
    }
}
