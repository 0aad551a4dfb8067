package import Model

/// Marks as musicians make them, the same in every run.
package enum SampleMarks {
    /// As many strokes as a page carries that was rehearsed from, of 40 points each, all over the page.
    package static func worn(count: Int = 30, color: Color) -> [Mark] {
        (0..<count).map { number in
            // Steps of the golden ratio: spread evenly, on no grid.
            let left = 0.08 + 0.7 * (Double(number) * 0.618).truncatingRemainder(dividingBy: 1)
            let top = 0.05 + 0.88 * Double(number) / Double(count)
            return stroke("old \(number)", color: color) { share in
                (left + 0.14 * share, top + 0.012 * wave(3 * share))
            }
        }
    }

    /// A circled notehead, about 60 pixels wide.
    package static func small(color: Color) -> Mark {
        circle("small", color: color, diameter: 60)
    }

    /// A circle of 500 pixels across, around some bars.
    package static func medium(color: Color) -> Mark {
        circle("medium", color: color, diameter: 500)
    }

    /// A line that crosses the whole page, and every band of it, many times over.
    package static func full(color: Color) -> Mark {
        stroke("full", color: color, points: 200) { share in (0.5 + 0.48 * wave(20 * share), 0.01 + 0.98 * share) }
    }

    /// An image of 2732 pixels on A4 is this wide; it only matters for how large a mark is.
    private static let pageWidth = 1932.0
    private static let pageHeight = 2732.0

    private static func circle(_ id: String, color: Color, diameter: Double) -> Mark {
        stroke(id, color: color) { share in
            // A quarter of a turn is a straight line of `wave`, which is as round as most hands draw.
            (0.45 + diameter / 2 / pageWidth * wave(share), 0.4 + diameter / 2 / pageHeight * wave(share + 0.25))
        }
    }

    private static func stroke(_ id: String, color: Color, points: Int = 40, _ place: (Double) -> (Double, Double)) -> Mark {
        Mark(
            id: id, page: PageIndex(0), kind: .pen, color: color, width: 0.002,
            points: (0..<points).map { number in
                let (x, y) = place(Double(number) / Double(points - 1))
                return Mark.Point(x: x, y: y)
            })
    }

    /// Up and down between -1 and 1, once for each whole number.
    private static func wave(_ turns: Double) -> Double {
        let phase = (turns - turns.rounded(.down)) * 4
        return phase < 1 ? phase : phase < 3 ? 2 - phase : phase - 4
    }
}
