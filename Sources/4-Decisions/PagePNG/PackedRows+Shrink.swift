import CPixels

extension PackedRows {
    /// Becomes `source` at a smaller size: each pixel is the exact mean of the area that it covers.
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

/// Makes the rows of a smaller image from the rows that each covers. Positions are counted in whole fractions of a row: a source row y
/// reaches from y * height to (y + 1) * height, a target row t from t * source height to (t + 1) * source height.
private final class Shrinker {
    private let source: PackedRows
    private let from: ImageLayout
    private let layout: ImageLayout
    private let sums: UnsafeMutableBufferPointer<UInt32>
    /// A gray row that is needed in colour; and gray rows that are covered together with rows in colour.
    private let gray: UnsafeMutableBufferPointer<UInt8>
    private let widened: UnsafeMutableBufferPointer<UInt8>

    init(of source: PackedRows, _ from: ImageLayout, to layout: ImageLayout) {
        self.source = source
        self.from = from
        self.layout = layout
        sums = .allocate(capacity: 2 * from.width * from.channels)
        gray = .allocate(capacity: layout.width)
        // A row covers as many whole rows as fit, and part of one at either end.
        widened = .allocate(capacity: from.isGray ? 0 : (from.height / layout.height + 2) * from.width * 3)
    }

    deinit {
        sums.deallocate()
        gray.deallocate()
        widened.deallocate()
    }

    private func covered(by y: Int) -> Range<Int> {
        y * from.height / layout.height..<((y + 1) * from.height - 1) / layout.height + 1
    }

    /// Whether everything that a row covers is gray.
    func isGray(_ y: Int) -> Bool {
        from.bands(touching: covered(by: y)).allSatisfy { source.form(ofBand: $0).isGray }
    }

    /// Makes a row, with one byte a pixel or three.
    func write(_ y: Int, to target: UnsafeMutablePointer<UInt8>, inColour: Bool) {
        let rows = covered(by: y)
        guard isGray(y) else {
            return shrink(rows.map { coloured($0, place: $0 - rows.lowerBound) }, y, channels: 3, to: target)
        }
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
