/// The position of the ink on a page: the smallest upright box around all ink, in ten-thousandths of the page's width and height. The box
/// is rounded outwards, so that no ink is outside.
public struct InkBox: Hashable, Sendable {
    public let left: UInt16
    public let top: UInt16
    public let right: UInt16
    public let bottom: UInt16

    /// The number of units in the whole width or height of a page.
    public static let parts = 10_000

    /// The box of a blank page.
    public static let none = InkBox(left: 0, top: 0, right: 0, bottom: 0)

    private init(left: UInt16, top: UInt16, right: UInt16, bottom: UInt16) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// The box around these columns and rows of pixels. Fails if they exceed an image of this size, or if only one of
    /// the two ranges is empty.
    public init?(columns: Range<Int>, rows: Range<Int>, width: Int, height: Int) {
        guard columns.lowerBound >= 0, rows.lowerBound >= 0, columns.upperBound <= width, rows.upperBound <= height,
            columns.isEmpty == rows.isEmpty
        else { return nil }
        guard !columns.isEmpty else {
            self = .none
            return
        }
        func before(_ pixel: Int, of side: Int) -> UInt16 { UInt16(pixel * Self.parts / side) }
        func after(_ pixel: Int, of side: Int) -> UInt16 { UInt16((pixel * Self.parts + side - 1) / side) }
        left = before(columns.lowerBound, of: width)
        top = before(rows.lowerBound, of: height)
        right = after(columns.upperBound, of: width)
        bottom = after(rows.upperBound, of: height)
    }

    /// The smallest box that contains this box on an image of this size, both before and after the image is turned back around its middle
    /// by a slant (`PageMusic.slant`), without parts outside the image.
    public func upright(by slant: Int, width: Int, height: Int) -> InkBox {
        guard slant != 0, self != .none, width > 0, height > 0 else { return self }
        let (lean, ratio, middle) = (Double(slant) * .pi / 18_000, Double(width) / Double(height), Double(Self.parts) / 2)
        var (xs, ys) = ([Double(left), Double(right)], [Double(top), Double(bottom)])
        for x in [Double(left), Double(right)] {
            for y in [Double(top), Double(bottom)] {
                xs.append(x + (y - middle) * lean / ratio)
                ys.append(y - (x - middle) * lean * ratio)
            }
        }
        func side(_ places: [Double], _ rule: FloatingPointRoundingRule) -> UInt16 {
            let place = (rule == .down ? places.min() : places.max()) ?? 0
            return UInt16(min(max(place.rounded(rule), 0), Double(Self.parts)))
        }
        return InkBox(left: side(xs, .down), top: side(ys, .down), right: side(xs, .up), bottom: side(ys, .up))
    }
}

/// The ink on a page and, if recorded, the white between the music, as recorded in the page's image.
public struct PageInk: Hashable, Sendable {
    /// The box around all ink.
    public let all: InkBox
    /// The box around everything that marks may have drawn; `none` if there are no marks.
    public let marks: InkBox
    /// The printed music, without marks; `nil` if the image does not record it.
    public let music: PageMusic?

    public init(all: InkBox, marks: InkBox = .none, music: PageMusic? = nil) { (self.all, self.marks, self.music) = (all, marks, music) }
}
