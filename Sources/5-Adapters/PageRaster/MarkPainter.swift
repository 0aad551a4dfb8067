import CPoppler
import Model

/// Paints marks through a cairo context.
struct MarkPainter {
    let context: OpaquePointer
    let outline: MarkOutline
    /// Whether pictures keep their own pixels and lines, as in a PDF, instead of becoming pixels of the page.
    let keepsVectors: Bool
    /// Sentences for people about things that could not be drawn.
    var warnings: [String] = []

    init(context: OpaquePointer, width: Double, height: Double, paper: Color = .white, keepsVectors: Bool = false) {
        (self.context, self.keepsVectors) = (context, keepsVectors)
        outline = MarkOutline(width: width, height: height, paper: paper)
    }

    /// Paints one mark, but only within `rows`, and leaves the context as it was.
    mutating func paint(_ mark: Mark, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        cairo_save(context)
        // Do not paint outside the rows from `area(of:)`: painting only some bands relies on them.
        cairo_rectangle(context, 0, Double(rows.lowerBound), width, Double(rows.count))
        cairo_clip(context)
        defer {
            cairo_new_path(context)
            cairo_restore(context)
        }
        // A highlighter is multiplied onto the page, so that black notes stay black under it.
        if mark.kind == .highlighter { cairo_set_operator(context, CAIRO_OPERATOR_MULTIPLY) }
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        switch mark.kind {
        case .pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .jump, .landing: paintPieces(of: mark)
        case .text: paintText(mark)
        case .image: paintImage(mark)
        case .bookmark, .unknown: break
        }
    }

    /// The size of the page in pixels.
    var width: Double { outline.width }
    var height: Double { outline.height }

    /// A point's position in pixels.
    func place(_ point: Mark.Point) -> MarkOutline.Place { outline.place(point) }

    /// A length in pixels, given as a fraction of the page's width: at least 0, at most 2 widths.
    func length(_ fraction: Double) -> Double { outline.length(fraction) }

    func setColor(_ color: Color, alpha: Double) {
        cairo_set_source_rgba(context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255, min(max(alpha, 0), 1))
    }

    // MARK: - Strokes and shapes

    private func paintPieces(of mark: Mark) {
        var pieces = outline.pieces(of: mark)[...]
        if let area = pieces.first, area.line == nil {
            if mark.kind == .highlighter {
                // Paint the area together with its border, as one.
                asOne(pieces, alpha: area.alpha)
                return
            }
            paint(area, alpha: area.alpha)
            pieces.removeFirst()
        }
        if outline.paintsTwice(mark) || mark.isArrow, mark.kind != .eraser, mark.color.alpha < 255 || mark.kind == .highlighter {
            asOne(pieces, alpha: Double(mark.color.alpha) / 255)
        } else {
            for piece in pieces { paint(piece, alpha: piece.alpha) }
        }
    }

    /// Paints all pieces opaque, then puts the result on the page in one step, so that overlaps are not painted twice.
    private func asOne(_ pieces: ArraySlice<MarkOutline.Piece>, alpha: Double) {
        cairo_push_group(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
        for piece in pieces { paint(piece, alpha: 1) }
        cairo_pop_group_to_source(context)
        cairo_paint_with_alpha(context, alpha)
    }

    private func paint(_ piece: MarkOutline.Piece, alpha: Double) {
        setColor(piece.color, alpha: alpha)
        guard let line = piece.line else {
            trace(piece.path)
            cairo_fill(context)
            return
        }
        if case .line(let places) = piece.path, places.count == 1 {
            cairo_arc(context, places[0].x, places[0].y, line.width / 2, 0, 2 * .pi)
            cairo_fill(context)
            return
        }
        cairo_set_line_cap(context, line.cap.cairo)
        cairo_set_dash(context, line.dash, Int32(line.dash.count), line.offset)
        cairo_set_line_width(context, line.width)
        trace(piece.path)
        cairo_stroke(context)
    }

    private func trace(_ path: MarkOutline.Path) {
        switch path {
        case .line(let places): for place in places { cairo_line_to(context, place.x, place.y) }
        case .box(let corner, let width, let height): cairo_rectangle(context, corner.x, corner.y, width, height)
        case .oval(let corner, let width, let height):
            // A scale of 0 would put the context into an error state for good.
            guard width > 0.01, height > 0.01 else {
                cairo_move_to(context, corner.x, corner.y)
                cairo_line_to(context, corner.x + width, corner.y + height)
                return
            }
            cairo_save(context)
            cairo_translate(context, corner.x + width / 2, corner.y + height / 2)
            cairo_scale(context, width / 2, height / 2)
            cairo_arc(context, 0, 0, 1, 0, 2 * .pi)
            cairo_restore(context)
            cairo_close_path(context)
        }
    }
}

extension MarkPainter {
    /// The columns and rows of pixels on which a mark can leave ink. Ink outside the rows is cut off, so too many are better than too few.
    func area(of mark: Mark) -> (columns: Range<Int>, rows: Range<Int>) {
        guard mark.isDrawn, let (xs, ys) = reach(of: mark) else { return (0..<0, 0..<0) }
        return (pixels(xs, within: width), pixels(ys, within: height))
    }

    private func pixels(_ reach: ClosedRange<Double>, within side: Double) -> Range<Int> {
        // A line's edge is softened into the next pixels.
        let first = max((reach.lowerBound - 2).rounded(.down), 0)
        let end = min((reach.upperBound + 2).rounded(.up), side)
        return first < end ? Int(first)..<Int(end) : 0..<0
    }

    private func reach(of mark: Mark) -> (xs: ClosedRange<Double>, ys: ClosedRange<Double>)? {
        if mark.kind == .text { return reach(ofText: mark) }
        let isBox = [.rectangle, .ellipse, .image].contains(mark.kind)
        let points = isBox ? mark.points.prefix(2) : mark.isArrow ? mark.points.prefix(1) : mark.points[...]
        let (xs, ys) = (points.map { place($0).x }, points.map { place($0).y })
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        // The corner of a square cap reaches out farther than half the width.
        let width = points.reduce(mark.width) { max($0, $1.width ?? 0) }
        var (across, along) = (length(width) * 0.75, length(width) * 0.75)
        if mark.isArrow {
            across += length(Mark.arrowReach)
            along = across
        }
        if mark.kind == .image {
            // The edge fades out over half of one of the picture's own pixels; a whole pixel is more than enough.
            let size = mark.image.flatMap(Picture.pixels)
            across = size.map { (right - left) / Double(max($0.width, 1)) } ?? 0
            along = size.map { (bottom - top) / Double(max($0.height, 1)) } ?? 0
        }
        return (left - across...right + across, top - along...bottom + along)
    }
}

extension Mark.Cap {
    fileprivate var cairo: cairo_line_cap_t {
        switch self {
        case .round: CAIRO_LINE_CAP_ROUND
        case .butt: CAIRO_LINE_CAP_BUTT
        case .square: CAIRO_LINE_CAP_SQUARE
        }
    }
}

extension Mark {
    /// Whether some letters of the text may be pictures.
    var hasEmoji: Bool {
        (text ?? "").unicodeScalars.contains { Self.picturing.contains($0.value) || ($0.value > 0xff && $0.properties.isEmoji) }
    }

    /// The characters that make a picture of the letter before them: the variation selector for emoji, and the combining keycap.
    private static let picturing: Set<UInt32> = [0xfe0f, 0x20e3]

    /// Whether the mark's ink is gray, as far as its fields show. The header of a picture shows whether it is gray. Text with
    /// emoji counts as coloured, since emoji may be pictures.
    var isGrayInk: Bool {
        switch kind {
        case .eraser: true
        // Formulas are usually black; a coloured formula is detected when it is painted.
        case .image: imageForm == .pdf || (image.map(Picture.isGray) ?? true)
        case .text: color.isGray && !hasEmoji
        default: color.isGray
        }
    }
}
