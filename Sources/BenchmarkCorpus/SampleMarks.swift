package import Model

/// Marks like those that musicians make, the same in every run.
package enum SampleMarks {
    /// The strokes on a page that has been rehearsed from, 40 points each, all over the page.
    package static func worn(count: Int = 30, color: Color) -> [Mark] {
        (0..<count).map { number in
            // In steps of the golden ratio: evenly spread, but not on a grid.
            let left = 0.08 + 0.7 * (Double(number) * 0.618).truncatingRemainder(dividingBy: 1)
            let top = 0.05 + 0.88 * Double(number) / Double(count)
            return stroke("old \(number)", color: color) { share in
                (left + 0.14 * share, top + 0.012 * wave(3 * share))
            }
        }
    }

    /// A circle this many pixels wide on an A4 image with 2732 pixels on its long side: 60 for a notehead, 500 for a few bars.
    package static func circle(_ diameter: Double, color: Color) -> Mark {
        stroke("circle", color: color) { share in
            // A quarter turn is a straight line in `wave`, so this is as round as most people draw.
            (0.45 + diameter / 2 / 1932 * wave(share), 0.4 + diameter / 2 / 2732 * wave(share + 0.25))
        }
    }

    /// A line that crosses the whole page many times, and every band of it.
    package static func full(color: Color) -> Mark {
        stroke("full", color: color, points: 200) { share in (0.5 + 0.48 * wave(20 * share), 0.01 + 0.98 * share) }
    }

    private static func stroke(_ id: String, color: Color, points: Int = 40, _ place: (Double) -> (Double, Double)) -> Mark {
        Mark(
            id: id, page: PageIndex(0), kind: .pen, color: color, width: 0.002,
            points: (0..<points).map { number in
                let (x, y) = place(Double(number) / Double(points - 1))
                return Mark.Point(x: x, y: y)
            })
    }

    /// Goes up and down between -1 and 1, once per turn.
    private static func wave(_ turns: Double) -> Double {
        let phase = (turns - turns.rounded(.down)) * 4
        return phase < 1 ? phase : phase < 3 ? 2 - phase : phase - 4
    }
}
