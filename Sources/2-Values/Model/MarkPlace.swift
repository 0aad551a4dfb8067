/// Where a mark is on another chart, as a change of its place and size: its shape stays as it is.
public struct MarkPlace: Hashable, Sendable {
    /// The place along one side of the page, by the place there before.
    struct Change: Hashable, Sendable {
        var scale = 1.0
        var offset = 0.0

        init() {}

        /// What brings `old` to `new`, scaled by `scale` if all the old places are one.
        init(from old: [Double], to new: [Double], scale: Double) {
            let (first, last, target, end) = (old.min() ?? 0, old.max() ?? 0, new.min() ?? 0, new.max() ?? 0)
            self.scale = last - first > 1e-6 ? (end - target) / (last - first) : scale
            offset = target - first * self.scale
        }

        func callAsFunction(_ value: Double) -> Double { value * scale + offset }
    }

    public private(set) var page: PageIndex
    private var x = Change()
    private var y = Change()
    /// How much larger lines and letters are.
    private var size = 1.0

    /// The same place on this page.
    public init(on page: PageIndex) { self.page = page }

    /// What brings `mark` to where `other` is, which has the same shape.
    public init(of mark: Mark, at other: Mark) {
        page = other.page
        size = mark.width > 0 ? other.width / mark.width : 1
        if let old = mark.setting.size, let new = other.setting.size, old > 0 { size = new / old }
        x = Change(from: mark.points.map(\.x), to: other.points.map(\.x), scale: size)
        y = Change(from: mark.points.map(\.y), to: other.points.map(\.y), scale: size)
    }

    /// The place on this page, in the same size, where the middle of `mark` is at a point.
    public func moved(to page: PageIndex, middle: (x: Double, y: Double), of mark: Mark) -> MarkPlace {
        var place = self
        let now = mark.moved(to: self).middle
        place.page = page
        place.x.offset += middle.x - now.x
        place.y.offset += middle.y - now.y
        return place
    }

    fileprivate func callAsFunction(_ mark: Mark) -> Mark {
        var moved = mark
        moved.page = page
        moved.points = mark.points.map { Mark.Point(x: x($0.x), y: y($0.y), width: $0.width.map { $0 * size }) }
        moved.width *= size
        moved.dash = mark.dash.map { $0 * size }
        moved.setting.size = mark.setting.size.map { $0 * size }
        moved.setting.point = mark.setting.point.map { $0 * size }
        moved.setting.wrap = mark.setting.wrap.map { $0 * size }
        return moved
    }
}

extension MarkPlace: Codable {
    public init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        page = PageIndex(try numbers.decode(Int.self))
        (x.scale, x.offset) = (try numbers.decode(Double.self), try numbers.decode(Double.self))
        (y.scale, y.offset) = (try numbers.decode(Double.self), try numbers.decode(Double.self))
        size = try numbers.decode(Double.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var numbers = encoder.unkeyedContainer()
        try numbers.encode(page.value)
        for number in [x.scale, x.offset, y.scale, y.offset, size] { try numbers.encode(number) }
    }
}

extension Mark {
    public func moved(to place: MarkPlace) -> Mark { place(self) }

    /// The box around the mark: its left, top, right and bottom. The end of a text is a guess, since only the renderer measures letters.
    public var box: (left: Double, top: Double, right: Double, bottom: Double) {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        var (right, bottom) = (xs.max() ?? 0, ys.max() ?? 0)
        if kind == .text, let size = setting.size {
            let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            // Letters are about half as wide as they are high, and pages about three quarters as wide as they are high.
            right += setting.wrap ?? 0.5 * size * Double(lines.map(\.count).max() ?? 0)
            bottom += 0.9 * size * Double(lines.count)
        }
        return (left, top, right, bottom)
    }

    public var middle: (x: Double, y: Double) { ((box.left + box.right) / 2, (box.top + box.bottom) / 2) }

    /// Equal for marks that look the same at the same place, whoever made them and when.
    public var placeSum: String {
        let title = kind == .bookmark ? text ?? "" : ""
        return String(SHA256.digest(of: "\(page.value)|\(canonical)|\(chordKey.map { "\($0)" } ?? "")|\(title)").hex.prefix(16))
    }

    /// A short sum of the page and the points, which differs after any mark was moved. `made-on.js` computes the same.
    var pointSum: String {
        let shares = points.flatMap { [$0.x, $0.y] }.map { ($0 * 1e5 + 0.5).rounded(.down) }
        let sum = ([Double(page.value)] + shares).reduce(into: 0x811c_9dc5 as UInt32) { sum, value in
            let whole = abs(value) < 0x1p52 ? Int64(value) : 0
            sum = (sum ^ UInt32(truncatingIfNeeded: whole)) &* 0x0100_0193
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Identifies the mark where its place on another chart is stored: its `placeSum` and, if it is known, the chart that it was made on.
    public var placeKey: String { on.map { "\(placeSum) \($0)" } ?? placeSum }
}
