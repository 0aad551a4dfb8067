public import Model

extension Following {
    /// A mark at its place in the other chart.
    public struct Moved: Hashable, Sendable {
        public var mark: Mark
        public var confidence: Double

        public var isSure: Bool { confidence >= Following.sure }

        public init(mark: Mark, confidence: Double) { (self.mark, self.confidence) = (mark, confidence) }
    }

    /// A mark wider than this, as a fraction of the page's width, has a place for each end.
    private static let wide = 0.06

    /// The mark at the place of its music, with its own shape, in the size of the staves there. A wide mark, such as a slur, reaches from
    /// the new place of its left end to that of its right end. `nil` if the other chart has no such place.
    public func follow(_ mark: Mark) -> Moved? {
        let page = mark.page.value, xs = mark.points.map(\.x), ys = mark.points.map(\.y)
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        guard a.indices.contains(page) else { return nil }
        // Text reaches down from its point.
        let low = mark.kind == .text ? bottom + (mark.setting.size ?? 0) / a[page].steepness : bottom
        let (middle, height) = ((left + right) / 2, (top + low) / 2)
        guard let centre = place(of: PagePoint(x: middle, y: height), page: page) else { return nil }
        var (target, width, confidence) = (centre, centre.scale, centre.confidence)
        if right - left > Self.wide, mark.kind != .image {
            let first = place(of: PagePoint(x: left, y: height), page: page), last = place(of: PagePoint(x: right, y: height), page: page)
            confidence = min(first?.confidence ?? 0, last?.confidence ?? 0)
            let isTogether = first?.page == last?.page && abs((first?.point.y ?? 0) - (last?.point.y ?? 1)) < 0.02
            if let first, let last, isTogether, last.point.x > first.point.x {
                target = first
                target.point = PagePoint(x: (first.point.x + last.point.x) / 2, y: (first.point.y + last.point.y) / 2)
                width = (last.point.x - first.point.x) / (right - left)
            } else {
                // A line ends between the places of the two ends, so the mark no longer fits.
                confidence = min(confidence, 0.5)
            }
        }
        let down = target.scale * a[page].steepness / b[target.page].steepness
        var moved = mark
        moved.page = PageIndex(target.page)
        moved.points = mark.points.map {
            Mark.Point(
                x: target.point.x + ($0.x - middle) * width, y: target.point.y + ($0.y - height) * down,
                width: $0.width.map { $0 * target.scale })
        }
        moved.width *= target.scale
        moved.dash = mark.dash.map { $0 * target.scale }
        moved.setting.size = mark.setting.size.map { $0 * target.scale }
        moved.setting.point = mark.setting.point.map { $0 * target.scale }
        moved.setting.wrap = mark.setting.wrap.map { $0 * target.scale }
        return Moved(mark: moved, confidence: confidence)
    }
}
