import CPango
import Songs

extension SheetPainter {
    private static let nameSize = 9.0
    private static let hairline = 0.5
    private static let dot = 2.3

    func paint(_ rows: DiagramRows, above bottom: Double) {
        let face = Face(isBold: true)
        for (index, diagram) in rows.diagrams.enumerated() {
            let (x, y) = rows.corner(of: index, above: bottom)
            let name = diagram.name.plainLine
            let size = min(Self.nameSize, rows.nameRoom / max(type.width(of: name, in: face), 1))
            set(.ink)
            type.paint(name, in: face, size: size, x: x, baseline: y + Self.nameSize, on: page)
            switch diagram.shape {
            case .strings(let frets, let fingers): paint(Neck(frets: frets, x: x + 9, y: y + 19), fingers)
            case .keys(let keys): paint(keys, octaves: rows.octaves, x: x, y: y + 13)
            }
        }
    }

    // MARK: - Strings

    /// Where the strings and frets of a diagram are.
    private struct Neck {
        let frets: [Int?]
        let x: Double
        let y: Double
        /// The fret of the diagram's first row. Frets near the head are counted from there.
        let first: Int

        static let rows = 5
        static let gap = (string: 6.4, fret: 6.8)

        init(frets: [Int?], x: Double, y: Double) {
            (self.frets, self.x, self.y) = (frets, x, y)
            let pressed = frets.compactMap(\.self).filter { $0 > 0 }
            first = (pressed.max() ?? 0) <= Self.rows ? 1 : pressed.min() ?? 1
        }

        var right: Double { string(frets.count - 1) }
        var bottom: Double { y + Double(Self.rows) * Self.gap.fret }

        func string(_ number: Int) -> Double { x + Double(number) * Self.gap.string }
        func middle(ofFret fret: Int) -> Double { y + (Double(fret - first) + 0.5) * Self.gap.fret }
    }

    private func paint(_ neck: Neck, _ fingers: [String]) {
        set(.quiet)
        cairo_set_line_width(page, Self.hairline)
        for string in neck.frets.indices { stroke((neck.string(string), neck.y), (neck.string(string), neck.bottom)) }
        for fret in 0...Neck.rows {
            let y = neck.y + Double(fret) * Neck.gap.fret
            stroke((neck.x, y), (neck.right, y))
        }
        set(.ink)
        if neck.first == 1 {
            cairo_set_line_width(page, 1.6)
            stroke((neck.x - Self.hairline / 2, neck.y), (neck.right + Self.hairline / 2, neck.y))
        } else {
            let (number, size) = (String(neck.first), 6.5)
            let x = neck.x - 4 - type.width(of: number, in: .words) * size
            type.paint(number, in: .words, size: size, x: x, baseline: neck.middle(ofFret: neck.first) + 2.3, on: page)
        }
        paintBar(of: neck)
        for (string, fret) in neck.frets.enumerated() {
            let (x, above) = (neck.string(string), neck.y - 4)
            switch fret {
            case nil:
                cairo_set_line_width(page, 0.7)
                stroke((x - 1.7, above - 1.7), (x + 1.7, above + 1.7))
                stroke((x - 1.7, above + 1.7), (x + 1.7, above - 1.7))
            case 0?:
                cairo_set_line_width(page, 0.7)
                circle(x, above, 1.8)
                cairo_stroke(page)
            case let fret?:
                circle(x, neck.middle(ofFret: fret), Self.dot)
                cairo_fill(page)
            }
        }
        for (string, finger) in fingers.enumerated() where !finger.isEmpty {
            let size = 5.5
            let x = neck.string(string) - type.width(of: finger, in: .words) * size / 2
            type.paint(finger, in: .words, size: size, x: x, baseline: neck.bottom + 6.5, on: page)
        }
    }

    /// More strings than fingers are pressed by one finger across the lowest fret.
    private func paintBar(of neck: Neck) {
        let pressed = neck.frets.enumerated().filter { ($0.element ?? 0) > 0 }
        guard pressed.count > 4, let lowest = pressed.compactMap(\.element).min() else { return }
        let barred = pressed.filter { $0.element == lowest }.map(\.offset)
        guard let first = barred.first, let last = barred.last else { return }
        cairo_set_line_width(page, 2.2)
        stroke((neck.string(first), neck.middle(ofFret: lowest)), (neck.string(last), neck.middle(ofFret: lowest)))
    }

    // MARK: - Keys

    /// The number of the white key of each semitone in an octave; for a black key, of the white key before it.
    private static let white = [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6]
    private static let blacks: Set<Int> = [1, 3, 6, 8, 10]

    /// Octaves of keys, from a C.
    private func paint(_ keys: [Int], octaves: Int, x: Double, y: Double) {
        let (width, height, narrow, short) = (DiagramRows.whiteKey, 23.0, 3.2, 14.0)
        func left(_ key: Int) -> Double { x + Double(Self.white[key % 12] + key / 12 * 7) * width }
        set(.quiet)
        cairo_set_line_width(page, Self.hairline)
        cairo_new_path(page)
        for key in 0..<(12 * octaves) where !Self.blacks.contains(key % 12) { cairo_rectangle(page, left(key), y, width, height) }
        cairo_stroke(page)
        for key in 0..<(12 * octaves) where Self.blacks.contains(key % 12) {
            cairo_rectangle(page, left(key) + width - narrow / 2, y, narrow, short)
        }
        cairo_fill(page)
        for key in keys {
            let isBlack = Self.blacks.contains(key % 12)
            if isBlack { cairo_set_source_rgb(page, 1, 1, 1) } else { set(.ink) }
            circle(left(key) + (isBlack ? width : width / 2), y + (isBlack ? short - 2.6 : height - 4), isBlack ? 1.2 : 1.8)
            cairo_fill(page)
        }
    }

    private func stroke(_ start: (x: Double, y: Double), _ end: (x: Double, y: Double)) {
        cairo_new_path(page)
        cairo_move_to(page, start.x, start.y)
        cairo_line_to(page, end.x, end.y)
        cairo_stroke(page)
    }

    private func circle(_ x: Double, _ y: Double, _ radius: Double) {
        // Without a new path, a line would lead here from the text painted before.
        cairo_new_path(page)
        cairo_arc(page, x, y, radius, 0, 2 * Double.pi)
    }
}
