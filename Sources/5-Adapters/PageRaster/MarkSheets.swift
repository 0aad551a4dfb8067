import CPoppler
public import Model

/// Draws marks as vectors into a PDF that is to be laid over the pages. It has a sheet for each page, but not the pages
/// themselves. The code that draws the marks is the same as for images.
public final class MarkSheets {
    private let pdf: CairoPDF
    private var context: OpaquePointer { pdf.context }
    /// The pixels on the long side of the images that the sheets match.
    private let longSide: Int
    /// The number of sheets.
    public private(set) var count = 0

    public init(longSide: Int) throws(RasterFailure) {
        guard (1...Raster.longestSide).contains(longSide) else { throw .tooLarge(width: longSide, height: longSide) }
        pdf = try CairoPDF(width: 1, height: 1)
        self.longSide = longSide
    }

    private func painter(on geometry: PageGeometry) -> MarkPainter {
        let (width, height) = geometry.pixels(longSide: longSide)
        return MarkPainter(context: context, width: Double(width), height: Double(height), keepsVectors: true)
    }

    /// Draws the next sheet; returns warnings about everything that could not be drawn.
    public func add(_ marks: [Mark], on geometry: PageGeometry) -> [String] {
        var painter = painter(on: geometry)
        cairo_pdf_surface_set_size(pdf.surface, geometry.width, geometry.height)
        cairo_save(context)
        cairo_scale(context, geometry.width / painter.width, geometry.height / painter.height)
        for mark in marks { painter.paint(mark, rows: painter.area(of: mark).rows) }
        cairo_restore(context)
        cairo_show_page(context)
        count += 1
        return painter.warnings
    }

    /// The part of a sheet on which a mark can leave ink, in points from the bottom left; `nil` if there is none.
    public func area(of mark: Mark, on geometry: PageGeometry) -> Box? {
        let painter = painter(on: geometry)
        let (columns, rows) = painter.area(of: mark)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        let (across, down) = (geometry.width / painter.width, geometry.height / painter.height)
        return Box(
            left: Double(columns.lowerBound) * across, bottom: geometry.height - Double(rows.upperBound) * down,
            right: Double(columns.upperBound) * across, top: geometry.height - Double(rows.lowerBound) * down)
    }

    /// A rectangle in points.
    public struct Box: Hashable, Sendable {
        public let left, bottom, right, top: Double
    }

    /// Returns the PDF. Nothing can be added afterwards.
    public func finish() throws(RasterFailure) -> [UInt8] { try pdf.finish("some marks") }
}

extension ChartDocument {
    /// The visible part of a page, in the page's own coordinates.
    public func cropBox(of page: Int) throws(RasterFailure) -> MarkSheets.Box {
        try reading(page) { page in
            var box = PopplerRectangle()
            poppler_page_get_crop_box(page, &box)
            return MarkSheets.Box(left: box.x1, bottom: box.y1, right: box.x2, top: box.y2)
        }
    }
}
