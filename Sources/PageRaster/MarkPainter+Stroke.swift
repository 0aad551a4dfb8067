import CPoppler
import Model

extension MarkPainter {
    /// A point of a stroke in pixels, with the stroke's radius there.
    private struct Disc: Equatable {
        var x: Double
        var y: Double
        var radius: Double
    }

    /// A pen's, highlighter's or eraser's stroke.
    func paintStroke(_ mark: Mark) {
        let discs = mark.points.map { point in
            let (x, y) = place(point)
            // A highlighter's nib is flat: it keeps its width, whatever the pressure.
            let width = mark.kind == .highlighter ? mark.width : point.width ?? mark.width
            return Disc(x: x, y: y, radius: length(width) / 2)
        }
        if let fill = mark.fill, fill > 0, mark.points.count > 2 {
            follow(mark.points)
            setColor(of: mark, alpha: fill)
            cairo_fill(context)
        }
        setColor(of: mark)
        if discs.allSatisfy({ $0.x == discs[0].x && $0.y == discs[0].y }) {
            let radius = discs.reduce(0) { max($0, $1.radius) }
            cairo_arc(context, discs[0].x, discs[0].y, radius, 0, 2 * .pi)
            cairo_fill(context)
        } else if discs.allSatisfy({ $0.radius == discs[0].radius }) || !mark.dash.isEmpty {
            setDash(of: mark)
            // Dashes do not taper.
            let width = mark.dash.isEmpty || mark.width <= 0 ? 2 * (discs.map(\.radius).max() ?? 0) : length(mark.width)
            cairo_set_line_width(context, width)
            follow(mark.points)
            cairo_stroke(context)
        } else {
            paintTapered(discs)
        }
    }

    /// A stroke whose width changes: a disc at every point and a tapered band between neighbours.
    ///
    /// All go into one path of one direction and are filled once, so that a translucent stroke is nowhere painted twice.
    private func paintTapered(_ discs: [Disc]) {
        for disc in discs where disc.radius > 0 {
            cairo_new_sub_path(context)
            cairo_arc(context, disc.x, disc.y, disc.radius, 0, 2 * .pi)
            cairo_close_path(context)
        }
        for (from, to) in zip(discs, discs.dropFirst()) {
            let (dx, dy) = (to.x - from.x, to.y - from.y)
            let distance = (dx * dx + dy * dy).squareRoot()
            guard distance > 0 else { continue }
            // Turned to the right of the direction of travel: the way round that cairo_arc goes, too.
            let (nx, ny) = (dy / distance, -dx / distance)
            cairo_move_to(context, from.x + nx * from.radius, from.y + ny * from.radius)
            cairo_line_to(context, to.x + nx * to.radius, to.y + ny * to.radius)
            cairo_line_to(context, to.x - nx * to.radius, to.y - ny * to.radius)
            cairo_line_to(context, from.x - nx * from.radius, from.y - ny * from.radius)
            cairo_close_path(context)
        }
        cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING)
        cairo_fill(context)
    }
}
