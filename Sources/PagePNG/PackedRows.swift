import CPixels

/// Rows of pixels as PNG has them: a filter byte, then a byte or three for each pixel. Its memory is kept from one image to
/// the next.
public final class PackedRows {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    /// What is in it; `nil` before the first image.
    public private(set) var layout: ImageLayout?
    /// The rows of it that there is room for.
    private var held = 0..<0

    /// Makes room for nothing yet.
    public init() {}

    deinit {
        memory.deallocate()
    }

    /// Gives it a layout, and room for all rows or some of them; what is in them is then undefined.
    public func prepare(_ layout: ImageLayout, rows: Range<Int>? = nil) {
        let rows = rows ?? 0..<layout.height
        // In large steps: pages that differ by a few pixels share their memory.
        let step = 1 << 20
        let bytes = (layout.rowBytes * rows.count + step - 1) / step * step
        if memory.count < bytes {
            memory.deallocate()
            memory = .allocate(capacity: bytes)
        }
        self.layout = layout
        held = rows
    }

    /// Takes over a picture of words 0xXXRRGGBB, row after row: as gray if every pixel is exactly gray.
    public func pack(_ pixels: UnsafePointer<UInt32>, width: Int, height: Int, bandHeight: Int = ImageLayout.usualBandHeight) {
        let gray = ImageLayout(width: width, height: height, isGray: true, bandHeight: bandHeight)
        prepare(gray)
        guard !pack(pixels, rows: 0..<height) else { return }
        prepare(gray.inColour)
        _ = pack(pixels, rows: 0..<height)
    }

    /// Takes over some rows of a picture whose first row is at `pixels`; answers `false` where they are not all as gray as the layout.
    public func pack(_ pixels: UnsafePointer<UInt32>, rows: Range<Int>) -> Bool {
        guard let layout else { preconditionFailure("rows without a layout") }
        for y in rows {
            let source = pixels + y * layout.width
            let target = self.row(y) + 1
            if !layout.isGray {
                woodshed_pack_rgb(source, layout.width, target)
            } else if !woodshed_pack_gray(source, layout.width, target) {
                return false
            }
        }
        return true
    }

    /// Hands some rows over to a picture whose first row is at `pixels`.
    public func unpack(rows: Range<Int>, to pixels: UnsafeMutablePointer<UInt32>) {
        guard let layout else { preconditionFailure("rows without a layout") }
        for y in rows {
            let target = pixels + y * layout.width
            if layout.isGray {
                woodshed_unpack_gray(row(y) + 1, layout.width, target)
            } else {
                woodshed_unpack_rgb(row(y) + 1, layout.width, target)
            }
        }
    }

    /// Becomes `source` at a smaller size: each pixel is the exact mean of the area that it covers.
    public func shrink(_ source: PackedRows, width: Int, height: Int) {
        guard let from = source.layout else { preconditionFailure("nothing to shrink") }
        precondition(width <= from.width && height <= from.height, "only ever smaller")
        prepare(ImageLayout(width: width, height: height, isGray: from.isGray, bandHeight: from.bandHeight))
        guard let layout else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * from.width * from.channels) { sums in
            woodshed_shrink(
                source.row(0) + 1, from.width, from.height, from.rowBytes, from.channels, row(0) + 1, width, height,
                layout.rowBytes, sums.baseAddress)
        }
    }

    /// Takes over rows of the same picture in gray, as colours.
    func colour(_ source: PackedRows, rows: Range<Int>) {
        guard let layout else { preconditionFailure("rows without a layout") }
        for y in rows { woodshed_gray_to_rgb(source.row(y) + 1, layout.width, row(y) + 1) }
    }

    /// One row, its filter byte first.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        guard let layout, let base = memory.baseAddress else { preconditionFailure("rows without a layout") }
        precondition(held.contains(y), "a row that is not held")
        return base + (y - held.lowerBound) * layout.rowBytes
    }
}
