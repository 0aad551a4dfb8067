extension Mark {
    /// Whether the whole mark is outside its page, which reaches from 0 to 1. A text extends to the right and down from its point,
    /// by at most the size of the page for any real text.
    public var isOffThePage: Bool {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return false }
        // Ink reaches half a width beyond the points. On a wide page, half a width is a larger part of the height,
        // so allow the whole width.
        let isStroke = kind != .text && kind != .image
        let margin = isArrow ? Self.arrowReach : isStroke ? points.reduce(width) { max($0, $1.width ?? 0) } : 0
        let reach = kind == .text ? 1 : margin
        return left - margin > 1 || top - margin > 1 || right + reach < 0 || bottom + reach < 0
    }

    /// Whether the mark is visible on the page.
    public var canBeSeen: Bool { isDrawn && !isOffThePage }
}
