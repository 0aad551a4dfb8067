import Model
import PagePNG

/// A page's marks, and the bands of the image that they leave ink on.
struct Ink {
    private let marks: [Mark]
    private let rows: [Range<Int>]
    let paper: Color
    private let layout: ImageLayout
    let bands: Set<Int>

    init(_ marks: [Mark], on raster: Raster, layout: ImageLayout, paper: Color) throws(RasterFailure) {
        self.marks = marks
        self.paper = paper
        self.layout = layout
        rows = try raster.rows(of: marks, paper: paper)
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
