extension Mark {
    /// Whether all of it lies off its page, which goes from 0 to 1. A text extends to the right and down from its point, at most by the
    /// page's own size for any real text.
    public var isOffThePage: Bool {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return false }
        // A stroke has ink half its width around its points; on a wide page that is more of the height, so all of it counts.
        let isStroke = kind != .text && kind != .image
        let margin = isStroke ? points.reduce(width) { max($0, $1.width ?? 0) } : 0
        let reach = kind == .text ? 1 : margin
        return left - margin > 1 || top - margin > 1 || right + reach < 0 || bottom + reach < 0
    }

    /// Whether it is visible on the page.
    public var canBeSeen: Bool { isDrawn && !isOffThePage }
}
