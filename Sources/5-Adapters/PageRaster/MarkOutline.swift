import Model

/// The lines and areas of a mark, in pixels of its page, before they are painted. The browser's painter makes the same lines and
/// areas for wet ink, and both painters have to pass the same test cases. Fractions of the page become pixels only here.
struct MarkOutline {
    /// The size of the page in pixels.
    let width: Double
    let height: Double
    /// The colour in which an eraser paints.
    let paper: Color

    init(width: Double, height: Double, paper: Color = .white) { (self.width, self.height, self.paper) = (width, height, paper) }

    typealias Place = (x: Double, y: Double)

    enum Path {
        /// A line from place to place; a single place is a dot.
        case line([Place])
        case box(Place, width: Double, height: Double)
        case oval(Place, width: Double, height: Double)
    }

    struct Line {
        var width: Double
        var dash: [Double]
        /// How far into its dashes the line begins.
        var offset = 0.0
        var cap: Mark.Cap
    }

    /// A path that is painted in one step.
    struct Piece {
        var path: Path
        var color: Color
        var alpha: Double
        /// How the path is drawn; `nil` where it is filled.
        var line: Line?
    }

    /// The pieces to paint, in this order; none for texts and pictures.
    func pieces(of mark: Mark) -> [Piece] {
        if mark.isArrow { return arrow(of: mark) }
        guard let path = path(of: mark) else { return [] }
        let isStroke = mark.isStroke
        let color = mark.kind == .eraser ? paper : mark.color
        var pieces: [Piece] = []
        if let fill = mark.fill, fill > 0, !isStroke || mark.points.count > 2 {
            pieces = [Piece(path: path, color: color, alpha: min(fill, 1))]
        }
        let lines = isStroke ? lines(of: mark) : [(path, line(length(mark.width), of: mark))]
        return pieces
            + lines.filter { isStroke || $0.1.width > 0 }
            .map { Piece(path: $0, color: color, alpha: Double(color.alpha) / 255, line: $1) }
    }

    private func path(of mark: Mark) -> Path? {
        switch mark.kind {
        case .pen, .highlighter, .eraser, .line: return .line(mark.points.map { place($0) })
        case .rectangle:
            let box = box(mark)
            return .box((box.x, box.y), width: box.width, height: box.height)
        case .ellipse:
            let box = box(mark)
            return .oval((box.x, box.y), width: box.width, height: box.height)
        case .text, .image, .jump, .landing, .bookmark, .unknown: return nil
        }
    }

    // MARK: - From fractions to pixels

    /// A point's position in pixels. Positions more than 8 pages off the page are moved closer, because cairo's numbers overflow
    /// beyond some millions.
    func place(_ point: Mark.Point) -> Place { (min(max(point.x, -8), 9) * width, min(max(point.y, -8), 9) * height) }

    /// A length in pixels, given as a fraction of the page's width: at least 0, at most 2 widths.
    func length(_ fraction: Double) -> Double { min(max(fraction, 0), 2) * width }

    /// The box between a mark's first two points.
    func box(_ mark: Mark) -> (x: Double, y: Double, width: Double, height: Double) {
        let (first, second) = (place(mark.points[0]), place(mark.points[1]))
        return (min(first.x, second.x), min(first.y, second.y), abs(second.x - first.x), abs(second.y - first.y))
    }

    /// The top left corner of a text, and the size of its letters, in pixels.
    func text(_ mark: Mark) -> (corner: Place, size: Double) { (place(mark.points[0]), length(mark.setting.size ?? 0)) }

    private func line(_ width: Double, of mark: Mark, from offset: Double = 0) -> Line {
        let lengths = mark.dash.prefix(16).map { length($0) }
        // Dashes too fine to be seen would only cost time.
        return Line(width: width, dash: lengths.reduce(0, +) >= 1 ? lengths : [], offset: offset, cap: mark.cap)
    }

    // MARK: - Arrows

    /// The arrow of a jump, which leaves its place, with the number of its pass above; or that of a landing, which arrives at a line.
    private func arrow(of mark: Mark) -> [Piece] {
        guard let point = mark.points.first else { return [] }
        let ((x, y), half) = (place(point), length(Mark.arrow))
        let (tip, head) = (x + half, 0.6 * half)
        var lines: [[Place]] = [[(x - half, y), (tip, y)], [(tip - head, y - head), (tip, y), (tip - head, y + head)]]
        if mark.kind == .landing { lines.append([(tip, y - half), (tip, y + half)]) }
        if let pass = mark.pass, mark.kind == .jump, Self.digits.indices.contains(pass - 1) {
            let unit = 0.3 * half
            lines.append(Self.digits[pass - 1].map { (x + ($0.x - 1) * unit, y - head + ($0.y - 5) * unit) })
        }
        let line = Line(width: length(mark.width), dash: [], cap: .round)
        return lines.map { Piece(path: .line($0), color: mark.color, alpha: Double(mark.color.alpha) / 255, line: line) }
    }

    /// The digits from 1 to 9 as lines, 2 wide and 4 high. A font would look different on each machine.
    private static let digits: [[Place]] = [
        [(0.5, 1), (1.2, 0), (1.2, 4)],
        [(0, 0.8), (0.6, 0), (1.6, 0), (2, 0.8), (2, 1.4), (0, 4), (2, 4)],
        [(0, 0), (2, 0), (0.9, 1.6), (2, 2.4), (2, 3.3), (1.4, 4), (0.4, 4), (0, 3.4)],
        [(1.5, 4), (1.5, 0), (0, 2.8), (2, 2.8)],
        [(1.9, 0), (0.2, 0), (0, 1.8), (1.3, 1.6), (2, 2.4), (2, 3.3), (1.4, 4), (0.4, 4), (0, 3.4)],
        [(1.7, 0), (0.5, 1.4), (0, 2.6), (0.4, 3.7), (1, 4), (1.7, 3.6), (2, 2.8), (1.6, 2), (0.9, 1.8), (0.1, 2.4)],
        [(0, 0), (2, 0), (0.7, 4)],
        [
            (1, 1.8), (0.2, 1.3), (0.2, 0.5), (0.7, 0), (1.3, 0), (1.8, 0.5), (1.8, 1.3), (1, 1.8), (0, 2.6), (0, 3.4), (0.6, 4), (1.4, 4),
            (2, 3.4), (2, 2.6), (1, 1.8),
        ],
        [(0.3, 4), (1.5, 2.6), (2, 1.4), (1.6, 0.3), (1, 0), (0.3, 0.4), (0, 1.2), (0.4, 2), (1.1, 2.2), (1.9, 1.6)],
    ]

    // MARK: - Strokes

    /// Whether the lines of a stroke overlap, so that translucent ink would be painted twice.
    func paintsTwice(_ mark: Mark) -> Bool { mark.isStroke && (hasChangingWidth(mark) || isLong(mark)) }

    /// The width of the line that begins at a point. A highlighter's nib is flat, so its width does not depend on the pressure.
    private func width(_ point: Mark.Point, of mark: Mark) -> Double {
        length(mark.kind == .highlighter ? mark.width : point.width ?? mark.width)
    }

    private func hasChangingWidth(_ mark: Mark) -> Bool {
        // No line begins at the last point.
        mark.points.dropLast().contains { width($0, of: mark) != width(mark.points[0], of: mark) }
    }

    private func lines(of mark: Mark) -> [(Path, Line)] {
        let places = mark.points.map { place($0) }
        let widths = mark.points.map { width($0, of: mark) }
        if places.allSatisfy({ $0 == places[0] }) { return [(.line([places[0]]), line(widths.max() ?? 0, of: mark))] }
        if !hasChangingWidth(mark) {
            let shown = isLong(mark) ? thinned(places) : places
            if shown.count > Self.mostPointsAtOnce { return linesInPieces(mark, shown, width: widths[0]) }
            return [(.line(shown), line(widths[0], of: mark))]
        }
        // Each piece has the width of the point at which it begins. The dashes continue from one piece to the next.
        var travelled = 0.0
        var lines: [(Path, Line)] = []
        for (index, (from, to)) in zip(places, places.dropFirst()).enumerated() {
            if widths[index] > 0 { lines.append((.line([from, to]), line(widths[index], of: mark, from: travelled))) }
            travelled += Self.distance(from, to)
        }
        return lines
    }

    private static func distance(_ from: Place, _ to: Place) -> Double {
        ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot()
    }

    /// Lines with more points than this are painted in pieces: where a line crosses itself, painting it in one step takes time that
    /// grows with the square of its points. Where two pieces meet, their soft edges add up a little.
    private static let mostPointsAtOnce = 2000
    private static let pointsOfPiece = 64

    private func isLong(_ mark: Mark) -> Bool { mark.points.count > Self.mostPointsAtOnce }

    /// Leaves out places so near the previous one that the difference is invisible, but never the last place.
    private func thinned(_ places: [Place]) -> [Place] {
        var kept: [Place] = []
        for (index, place) in places.enumerated() {
            guard let last = kept.last, index < places.count - 1 else {
                kept.append(place)
                continue
            }
            let (x, y) = (place.x - last.x, place.y - last.y)
            if x * x + y * y >= 1.0 / 16 { kept.append(place) }
        }
        return kept
    }

    /// Divides a long line of one width into pieces. Each begins where the one before ended, and has round ends in place of round corners.
    private func linesInPieces(_ mark: Mark, _ places: [Place], width: Double) -> [(Path, Line)] {
        var travelled = 0.0
        return stride(from: 0, to: places.count - 1, by: Self.pointsOfPiece).map { start in
            let end = min(start + Self.pointsOfPiece, places.count - 1)
            var line = line(width, of: mark, from: travelled)
            // The first and the last piece have the caps of the line. If there are dashes, every piece has them.
            if start > 0, end < places.count - 1, mark.dash.isEmpty { line.cap = .round }
            for (from, to) in zip(places[start..<end], places[(start + 1)...end]) { travelled += Self.distance(from, to) }
            return (.line(Array(places[start...end])), line)
        }
    }
}

extension Mark {
    fileprivate var isStroke: Bool { [.pen, .highlighter, .eraser].contains(kind) }
}
