import CPoppler
import Model

extension MarkPainter {
    /// Paints a stroke of a pen, highlighter or eraser.
    func paintStroke(_ mark: Mark) {
        let isFilled = mark.points.count > 2 && (mark.fill ?? 0) > 0
        if isFilled, let fill = mark.fill, mark.kind == .highlighter {
            // As one area, together with its border.
            asOne(alpha: fill) {
                setColor(of: mark, alpha: 1)
                follow(mark.points)
                cairo_fill(context)
                paintLine(mark)
            }
            return
        }
        if isFilled, let fill = mark.fill {
            follow(mark.points)
            setColor(of: mark, alpha: fill)
            cairo_fill(context)
        }
        let paintsTwice = hasChangingWidth(mark) || isLong(mark)
        if paintsTwice, mark.kind != .eraser, mark.color.alpha < 255 || mark.kind == .highlighter {
            asOne(alpha: Double(mark.color.alpha) / 255) {
                setColor(of: mark, alpha: 1)
                paintLine(mark)
            }
        } else {
            setColor(of: mark)
            paintLine(mark)
        }
    }

    /// The width of the line that begins at a point. A highlighter's nib is flat: it keeps its width, whatever the pressure.
    private func width(_ point: Mark.Point, of mark: Mark) -> Double {
        length(mark.kind == .highlighter ? mark.width : point.width ?? mark.width)
    }

    private func hasChangingWidth(_ mark: Mark) -> Bool {
        // No line begins at the last point.
        mark.points.dropLast().contains { width($0, of: mark) != width(mark.points[0], of: mark) }
    }

    /// Paints the line through all points, in the colour that is set.
    private func paintLine(_ mark: Mark) {
        let places = mark.points.map { place($0) }
        let widths = mark.points.map { width($0, of: mark) }
        if places.allSatisfy({ $0 == places[0] }) {
            cairo_arc(context, places[0].x, places[0].y, (widths.max() ?? 0) / 2, 0, 2 * .pi)
            cairo_fill(context)
        } else if !hasChangingWidth(mark) {
            setDash(of: mark)
            cairo_set_line_width(context, widths[0])
            let shown = isLong(mark) ? thinned(places) : places
            if shown.count > Self.mostPointsAtOnce {
                paintInPieces(mark, shown)
            } else {
                for (x, y) in shown { cairo_line_to(context, x, y) }
                cairo_stroke(context)
            }
        } else {
            // Each piece has the width of the point that it begins at. The dashes continue from one piece to the next.
            var travelled = 0.0
            for (index, (from, to)) in zip(places, places.dropFirst()).enumerated() {
                setDash(of: mark, from: travelled)
                travelled += ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot()
                guard widths[index] > 0 else { continue }
                cairo_set_line_width(context, widths[index])
                cairo_move_to(context, from.x, from.y)
                cairo_line_to(context, to.x, to.y)
                cairo_stroke(context)
            }
        }
    }

    /// Lines with more points than this are painted piece by piece: painting a line at once costs time that grows with the square of its
    /// points where it crosses itself. Where two pieces meet, their soft edges add up a little.
    private static let mostPointsAtOnce = 2000
    private static let pointsOfPiece = 64

    private func isLong(_ mark: Mark) -> Bool { mark.points.count > Self.mostPointsAtOnce }

    /// Leaves out places so near to the one before that the difference cannot be seen; the last one stays.
    private func thinned(_ places: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
        var kept: [(x: Double, y: Double)] = []
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

    /// Paints a long line of one width. Every piece begins where the last one ended, with a round end where there would be a round
    /// corner.
    private func paintInPieces(_ mark: Mark, _ places: [(x: Double, y: Double)]) {
        var travelled = 0.0
        for start in stride(from: 0, to: places.count - 1, by: Self.pointsOfPiece) {
            let end = min(start + Self.pointsOfPiece, places.count - 1)
            setDash(of: mark, from: travelled)
            // The first and the last piece have the caps of the line, and so does every dash.
            let isInside = start > 0 && end < places.count - 1 && mark.dash.isEmpty
            cairo_set_line_cap(context, isInside ? CAIRO_LINE_CAP_ROUND : mark.cap.cairo)
            cairo_move_to(context, places[start].x, places[start].y)
            for (from, to) in zip(places[start..<end], places[(start + 1)...end]) {
                cairo_line_to(context, to.x, to.y)
                travelled += ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot()
            }
            cairo_stroke(context)
        }
    }

    /// Puts what `paint` paints, in full colour, on the page in one go, so that nothing is painted twice.
    private func asOne(alpha: Double, _ paint: () -> Void) {
        cairo_push_group(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
        paint()
        cairo_pop_group_to_source(context)
        cairo_paint_with_alpha(context, min(alpha, 1))
    }
}
