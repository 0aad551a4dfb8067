import Model
import PagePNG

/// A page's marks, and the bands of the image that they leave ink on.
struct Ink {
    private let marks: [Mark]
    private let rows: [Range<Int>]
    let paper: Color
    private let layout: ImageLayout
    let bands: Set<Int>
    /// The columns and rows around all of it; an eraser leaves none.
    let area: (columns: Range<Int>, rows: Range<Int>)

    init(_ marks: [Mark], on raster: Raster, layout: ImageLayout, paper: Color) throws(RasterFailure) {
        self.marks = marks
        self.paper = paper
        self.layout = layout
        let areas = try raster.areas(of: marks, paper: paper)
        rows = areas.map(\.rows)
        area = zip(marks, areas).reduce((0..<0, 0..<0)) { whole, each in
            let (mark, area) = each
            guard mark.kind != .eraser, !area.columns.isEmpty, !area.rows.isEmpty else { return whole }
            guard !whole.columns.isEmpty else { return area }
            return (whole.columns.joined(with: area.columns), whole.rows.joined(with: area.rows))
        }
        bands = Set(rows.flatMap { layout.bands(touching: $0) })
    }

    /// The bands on which one of the two draws something that the other does not, or in another order.
    func bandsThatDiffer(from other: Ink) -> Set<Int> {
        let mine = marks.map(\.drawing)
        let theirs = other.marks.map(\.drawing)
        let common = Set(mine).intersection(theirs)
        // If the same marks are in another order, everything may look different.
        guard mine.filter(common.contains) == theirs.filter(common.contains) else { return bands.union(other.bands) }
        func lone(_ ink: Ink, _ drawings: [Mark]) -> Set<Int> {
            Set(zip(drawings, ink.rows).lazy.filter { !common.contains($0.0) }.flatMap { layout.bands(touching: $0.1) })
        }
        return lone(self, mine).union(lone(other, theirs))
    }

    /// Paints on some bands, which contain the plain page.
    func paint(bands: [Int], layout: ImageLayout, on raster: Raster) throws(RasterFailure) -> [String] {
        var stretches: [Range<Int>] = []
        for band in bands {
            let rows = layout.rows(ofBand: band)
            if let last = stretches.last, last.upperBound == rows.lowerBound {
                stretches[stretches.count - 1] = last.lowerBound..<rows.upperBound
            } else {
                stretches.append(rows)
            }
        }
        return try raster.paint(marks, rows: rows, within: stretches, paper: paper)
    }
}

extension Range<Int> {
    /// The range from the first of both to the last.
    fileprivate func joined(with other: Range<Int>) -> Range<Int> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension Mark {
    /// What is visible of the mark: two marks that agree in this are the same ink.
    fileprivate var drawing: Mark {
        var drawing = self
        drawing.id = ""
        drawing.createdAt = nil
        drawing.unknown = [:]
        // As bytes: two spellings of one letter are equal as strings, but may look different.
        drawing.text = text.map(Self.bytes)
        drawing.font = font.map(Self.bytes)
        return drawing
    }

    private static func bytes(_ text: String) -> String { text.utf8.map(String.init).joined(separator: " ") }
}
