import CPoppler
public import Model

extension Raster {
    /// Paints marks over the page, in the order given; answers what could not be drawn.
    public func paint(_ marks: [Mark], paper: Color = .white) throws(RasterFailure) -> [String] {
        try paint(marks, rows: areas(of: marks, paper: paper).map(\.rows), within: [0..<height], paper: paper)
    }

    /// The columns and rows that each mark can leave ink on.
    func areas(of marks: [Mark], paper: Color) throws(RasterFailure) -> [(columns: Range<Int>, rows: Range<Int>)] {
        var areas: [(columns: Range<Int>, rows: Range<Int>)] = []
        let size = (width: Double(width), height: Double(height))
        _ = try paint { context in
            let painter = MarkPainter(context: context, width: size.width, height: size.height, paper: paper)
            areas = marks.map(painter.area)
        }
        return areas
    }

    /// Paints marks over some ranges of rows; the rest of the page is neither read nor written.
    func paint(
        _ marks: [Mark], rows: [Range<Int>], within stretches: [Range<Int>], paper: Color
    ) throws(RasterFailure) -> [String] {
        var warnings: [String] = []
        let size = (width: Double(width), height: Double(height))
        let status = try paint { context in
            for stretch in stretches {
                var painter = MarkPainter(context: context, width: size.width, height: size.height, paper: paper)
                for (mark, rows) in zip(marks, rows) where rows.overlaps(stretch) {
                    painter.paint(mark, rows: rows.clamped(to: stretch))
                }
                for warning in painter.warnings where !warnings.contains(warning) { warnings.append(warning) }
            }
        }
        if status != CAIRO_STATUS_SUCCESS {
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(status)))
        }
        return warnings
    }
}
