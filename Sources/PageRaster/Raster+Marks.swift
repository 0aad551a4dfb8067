import CPoppler
public import Model

extension Raster {
    /// Paints marks over the page, in the order given; answers what could not be drawn.
    public func paint(_ marks: [Mark]) throws(RasterFailure) -> [String] {
        var warnings: [String] = []
        let size = (width: Double(width), height: Double(height))
        let status = try paint { context in
            var painter = MarkPainter(context: context, width: size.width, height: size.height)
            for mark in marks where mark.isDrawn { painter.paint(mark) }
            warnings = painter.warnings
        }
        if status != CAIRO_STATUS_SUCCESS {
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(status)))
        }
        return warnings
    }
}
