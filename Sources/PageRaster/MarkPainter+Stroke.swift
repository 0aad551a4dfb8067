import CPoppler
import Model

extension MarkPainter {
    /// A pen's, highlighter's or eraser's stroke.
    func paintStroke(_ mark: Mark) {
        let isFilled = mark.points.count > 2 && (mark.fill ?? 0) > 0
        if isFilled, let fill = mark.fill, mark.kind == .highlighter {
            // One area, its border with it.
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
        if hasChangingWidth(mark), mark.kind != .eraser, mark.color.alpha < 255 {
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
        // The last point begins nothing.
        mark.points.dropLast().contains { width($0, of: mark) != width(mark.points[0], of: mark) }
    }

    /// Along all points, in the colour that is set.
    private func paintLine(_ mark: Mark) {
        let places = mark.points.map { place($0) }
        let widths = mark.points.map { width($0, of: mark) }
        if places.allSatisfy({ $0 == places[0] }) {
            cairo_arc(context, places[0].x, places[0].y, (widths.max() ?? 0) / 2, 0, 2 * .pi)
            cairo_fill(context)
        } else if !hasChangingWidth(mark) {
            setDash(of: mark)
            cairo_set_line_width(context, widths[0])
            follow(mark.points)
            cairo_stroke(context)
        } else {
            // Each piece in the width of the point that it begins at. The dashes go on from one to the next.
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

    /// Puts what `paint` paints, in full colour, on the page in one go, so that it is nowhere painted twice.
    private func asOne(alpha: Double, _ paint: () -> Void) {
        cairo_push_group(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
        paint()
        cairo_pop_group_to_source(context)
        cairo_paint_with_alpha(context, min(alpha, 1))
    }
}
