import CPoppler
import Model

/// Paints marks through a cairo context. Fractions of the page become pixels here and nowhere else.
struct MarkPainter {
    let context: OpaquePointer
    /// The page in pixels.
    let width: Double
    let height: Double
    /// The colour that an eraser paints.
    let paper: Color
    /// Whether pictures keep their own pixels and lines, as in a PDF, instead of becoming pixels of the page.
    let keepsVectors: Bool
    /// What could not be drawn, for people.
    var warnings: [String] = []

    init(context: OpaquePointer, width: Double, height: Double, paper: Color = .white, keepsVectors: Bool = false) {
        (self.context, self.width, self.height, self.paper, self.keepsVectors) = (context, width, height, paper, keepsVectors)
    }

    /// Paints one mark within its own rows; afterwards, the context is as it was.
    mutating func paint(_ mark: Mark, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        cairo_save(context)
        // Never beyond what `area(of:)` promised: painting only some bands relies on that.
        cairo_rectangle(context, 0, Double(rows.lowerBound), width, Double(rows.count))
        cairo_clip(context)
        defer {
            cairo_new_path(context)
            cairo_restore(context)
        }
        // A highlighter is multiplied onto the page, so that black notes stay black under it.
        if mark.kind == .highlighter { cairo_set_operator(context, CAIRO_OPERATOR_MULTIPLY) }
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_set_line_cap(context, mark.cap.cairo)
        switch mark.kind {
        case .pen, .highlighter, .eraser: paintStroke(mark)
        case .line: paintPath(mark) { follow(mark.points) }
        case .rectangle: paintPath(mark) { rectangle(box(mark)) }
        case .ellipse: paintPath(mark) { ellipse(box(mark)) }
        case .text: paintText(mark)
        case .image: paintImage(mark)
        case .unknown: break
        }
    }

    // MARK: - From fractions to pixels

    /// A place in pixels. Places far outside are pulled in: cairo's numbers overflow beyond some millions.
    func place(_ point: Mark.Point) -> (x: Double, y: Double) { (min(max(point.x, -8), 9) * width, min(max(point.y, -8), 9) * height) }

    /// A length given as a fraction of the page's width.
    func length(_ fraction: Double) -> Double { min(max(fraction, 0), 2) * width }

    /// The box between a mark's first two points.
    func box(_ mark: Mark) -> (x: Double, y: Double, width: Double, height: Double) {
        let (first, second) = (place(mark.points[0]), place(mark.points[1]))
        return (min(first.x, second.x), min(first.y, second.y), abs(second.x - first.x), abs(second.y - first.y))
    }

    // MARK: - Colours and lines

    /// Paints with the mark's colour from now on; an eraser paints paper, whatever its colour.
    func setColor(of mark: Mark, alpha: Double? = nil) {
        let color = mark.kind == .eraser ? paper : mark.color
        cairo_set_source_rgba(
            context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            min(max(alpha ?? Double(color.alpha) / 255, 0), 1))
    }

    /// Sets the dashes, `offset` pixels after their beginning, unless they are too fine to be seen and would only cost time.
    func setDash(of mark: Mark, from offset: Double = 0) {
        let lengths = mark.dash.prefix(16).map { length($0) }
        let sum = lengths.reduce(0, +)
        if sum >= 1 { cairo_set_dash(context, lengths, Int32(lengths.count), offset) }
    }

    /// Fills and strokes the path that `trace` makes, as the mark says.
    func paintPath(_ mark: Mark, _ trace: () -> Void) {
        trace()
        if let fill = mark.fill, fill > 0 {
            setColor(of: mark, alpha: fill)
            cairo_fill_preserve(context)
        }
        let width = length(mark.width)
        guard width > 0 else { return }
        setColor(of: mark)
        setDash(of: mark)
        cairo_set_line_width(context, width)
        cairo_stroke(context)
    }

    // MARK: - Paths

    /// Adds a line through all points to the path.
    func follow(_ points: [Mark.Point]) {
        for point in points {
            let (x, y) = place(point)
            cairo_line_to(context, x, y)
        }
    }

    private func rectangle(_ box: (x: Double, y: Double, width: Double, height: Double)) {
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
    }

    private func ellipse(_ box: (x: Double, y: Double, width: Double, height: Double)) {
        // A scale of 0 would put the context into an error state for good.
        guard box.width > 0.01, box.height > 0.01 else {
            cairo_move_to(context, box.x, box.y)
            cairo_line_to(context, box.x + box.width, box.y + box.height)
            return
        }
        cairo_save(context)
        cairo_translate(context, box.x + box.width / 2, box.y + box.height / 2)
        cairo_scale(context, box.width / 2, box.height / 2)
        cairo_arc(context, 0, 0, 1, 0, 2 * .pi)
        cairo_restore(context)
        cairo_close_path(context)
    }
}

extension MarkPainter {
    /// The columns and rows of pixels that a mark can leave ink on. Too many is better than too few: what is above or below is cut off.
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
        let points = isBox ? mark.points.prefix(2) : mark.points[...]
        let (xs, ys) = (points.map { place($0).x }, points.map { place($0).y })
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        // The corner of a square cap reaches out farther than half the width.
        let width = points.reduce(mark.width) { max($0, $1.width ?? 0) }
        var (across, along) = (length(width) * 0.75, length(width) * 0.75)
        if mark.kind == .image {
            // Half of one of the picture's own pixels, where its edge fades out.
            let size = mark.image.flatMap(Picture.pixels)
            across = size.map { (right - left) / Double(max($0.width, 1)) } ?? 0
            along = size.map { (bottom - top) / Double(max($0.height, 1)) } ?? 0
        }
        return (left - across...right + across, top - along...bottom + along)
    }
}

extension Mark.Cap {
    var cairo: cairo_line_cap_t {
        switch self {
        case .round: CAIRO_LINE_CAP_ROUND
        case .butt: CAIRO_LINE_CAP_BUTT
        case .square: CAIRO_LINE_CAP_SQUARE
        }
    }
}

extension Mark {
    /// Whether some of its letters may be pictures.
    var hasEmoji: Bool {
        (text ?? "").unicodeScalars.contains { Self.picturing.contains($0.value) || ($0.value > 0xff && $0.properties.isEmoji) }
    }

    /// What makes a picture of the letter before it: the variation selector, and the frame of a key.
    private static let picturing: Set<UInt32> = [0xfe0f, 0x20e3]

    /// Whether all its ink is certainly gray. A picture says so in its header; text may contain pictures, like emoji.
    var isGrayInk: Bool {
        switch kind {
        case .eraser: true
        // Formulas are usually black; one that is not is noticed when it is painted.
        case .image: imageForm == .pdf || (image.map(Picture.isGray) ?? true)
        case .text: color.isGray && !hasEmoji
        default: color.isGray
        }
    }
}
