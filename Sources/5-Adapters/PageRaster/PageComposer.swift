public import Model
public import PagePNG

/// Makes annotated images from plain ones. Only bands under new or changed ink are painted. All others come from an existing image.
public final class PageComposer {
    /// An existing annotated image of the same page, and the marks that it shows.
    public struct Predecessor {
        let image: BandedPNG
        let marks: [Mark]

        public init(image: BandedPNG, marks: [Mark]) { (self.image, self.marks) = (image, marks) }
    }

    /// The rows of one band at a time.
    private let rows = PackedRows()
    private let writer = PNGWriter()

    public init() {}

    /// Makes the image of the plain page with marks on it, and stores `key` in it. `raster` lends its memory.
    ///
    /// The bytes depend only on the plain image, the marks, the paper and the key, not on whether there was a predecessor.
    public func compose(
        _ plain: BandedPNG, previous: Predecessor? = nil, marks: [Mark], paper: Color = .white, key: ImageKey, on raster: Raster
    ) throws(RasterFailure) -> (png: [UInt8], warnings: [String]) {
        try raster.prepare(width: plain.layout.width, height: plain.layout.height)
        let ink = try Ink(marks, on: raster, layout: plain.layout, paper: paper)
        var changed = Set(0..<plain.layout.bandCount)
        if let previous, previous.image.layout.hasBands(of: plain.layout) {
            changed = try ink.bandsThatDiffer(from: Ink(previous.marks, on: raster, layout: plain.layout, paper: paper))
        }
        let isGray = plain.layout.isGray && marks.allSatisfy(\.isGrayInk) && paper.isGray
        var warnings: [String] = []
        // A gray letter can turn out to be a coloured picture. Then the image is coloured, regardless of the former one.
        for layout in isGray ? [plain.layout.inGray, plain.layout.inColour] : [plain.layout.inColour] {
            let former = previous.flatMap { $0.image.isOfUse(for: layout, over: plain) ? $0.image : nil }
            if let png = try write(layout, plain, former: former, changed: changed, ink, key, on: raster, &warnings) {
                return (png, warnings)
            }
        }
        throw .damaged
    }

    private func write(
        _ layout: ImageLayout, _ plain: BandedPNG, former: BandedPNG?, changed: Set<Int>, _ ink: Ink, _ key: ImageKey, on raster: Raster,
        _ warnings: inout [String]
    ) throws(RasterFailure) -> [UInt8]? {
        let isKept = (0..<layout.bandCount).map { !changed.contains($0) && former?.isSound($0) == true }
        let painted = (0..<layout.bandCount).filter { !isKept[$0] && ink.bands.contains($0) }
        for band in painted {
            try unpack(band, of: plain, to: layout)
            rows.unpack(band: band, to: raster.row(0))
        }
        warnings = try ink.paint(bands: painted, layout: layout, on: raster)
        writer.begin(layout, paper: ink.paper, music: plain.music, statesInk: plain.statesInk, marks: ink.area)
        for band in 0..<layout.bandCount {
            if isKept[band], let former, former.layout == layout {
                writer.append(band, from: former)
            } else if !ink.bands.contains(band), plain.layout == layout {
                guard plain.isSound(band) else { throw .damaged }
                writer.append(band, from: plain)
            } else {
                if isKept[band], let former {
                    // A gray band for a coloured image is packed again, but not painted.
                    rows.prepare(layout, band: band)
                    guard former.isSound(band), former.unpack(band, into: rows) else {
                        return try write(layout, plain, former: nil, changed: changed, ink, key, on: raster, &warnings)
                    }
                } else if ink.bands.contains(band) {
                    rows.prepare(layout, band: band)
                    guard rows.pack(raster.row(0), band: band) else { return nil }
                } else {
                    try unpack(band, of: plain, to: layout)
                }
                writer.append(band, of: rows)
            }
        }
        return writer.finish(key: key)
    }

    /// Unpacks a band of the plain image in the form in which it will be written.
    private func unpack(_ band: Int, of plain: BandedPNG, to layout: ImageLayout) throws(RasterFailure) {
        rows.prepare(layout, band: band)
        guard plain.unpack(band, into: rows) else { throw .damaged }
    }
}

extension ImageLayout {
    /// Whether bands can be copied between the two layouts, apart from colours.
    fileprivate func hasBands(of other: ImageLayout) -> Bool {
        width == other.width && height == other.height && bandHeight == other.bandHeight
    }
}

extension BandedPNG {
    /// Whether bands of this image fit into an image with the other layout. If the plain image states where it has ink, this image
    /// must state it, too, because the result must not depend on whether there was a predecessor.
    fileprivate func isOfUse(for other: ImageLayout, over plain: BandedPNG) -> Bool {
        (layout == other || isGray(of: other)) && (statesInk || !plain.statesInk)
    }

    /// Whether this image is gray, and the other layout is the same in colour.
    fileprivate func isGray(of other: ImageLayout) -> Bool { layout.isGray && !other.isGray && layout.inColour == other }
}

/// A page's marks, and the bands of the image on which they leave ink.
private struct Ink {
    private let marks: [Mark]
    private let rows: [Range<Int>]
    let paper: Color
    private let layout: ImageLayout
    let bands: Set<Int>
    /// The columns and rows around all ink. An eraser leaves no ink.
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

    /// The bands on which either ink draws a mark that the other ink lacks. If the marks common to both are in different orders,
    /// the result is all bands with ink.
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

    /// Paints the marks on some bands of the raster, which already contain the plain page.
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
    /// The smallest range that contains both ranges.
    fileprivate func joined(with other: Range<Int>) -> Range<Int> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension Mark {
    /// The mark without its invisible fields. Marks that are equal here leave the same ink.
    fileprivate var drawing: Mark {
        var drawing = self
        drawing.id = ""
        drawing.createdAt = nil
        (drawing.key, drawing.unknown) = (nil, [:])
        // Compare bytes: two spellings of one letter are equal as strings, but may look different.
        drawing.text = text.map(Self.bytes)
        drawing.setting.font = setting.font.map(Self.bytes)
        return drawing
    }

    private static func bytes(_ text: String) -> String { text.utf8.map(String.init).joined(separator: " ") }
}
