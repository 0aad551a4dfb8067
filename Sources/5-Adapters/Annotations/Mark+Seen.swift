import Model

extension Mark {
    /// Why this mark cannot be seen although it can be read, by its field, in words for several alike; `nil` if it leaves ink on the page.
    var reasonNotToBeSeen: String? {
        switch kind {
        case .unknown: return "their “kind” is none of \(Kind.names.joined(separator: ", ")); they are kept"
        case .text:
            if (text ?? "").isEmpty { return "“text” is missing or empty" }
            if (size ?? 0) <= 0 { return "“size” is missing or not above 0" }
            if points.isEmpty { return "“points” is missing or empty" }
        case .image:
            if image == nil { return "“image” is missing" }
            if imageForm == nil { return "“image” is not a picture: it must be a PNG, or a PDF, in base64" }
            if points.count < 2 { return "“points” has fewer than two corners" }
        case .line, .rectangle, .ellipse:
            if points.count < 2 { return "“points” has fewer than two corners" }
            if width <= 0, (fill ?? 0) <= 0 { return "neither “width” nor “fill” is above 0" }
        case .pen, .highlighter, .eraser:
            if points.isEmpty { return "“points” is missing or empty" }
            if width <= 0, !points.contains(where: { ($0.width ?? 0) > 0 }) { return "“width” is not above 0" }
        }
        if kind != .image, kind != .eraser, color.alpha == 0 { return "“color” is fully transparent" }
        return isBesideThePage ? "“points” is off the page, which goes from 0 to 1" : nil
    }

    /// True if it lies off the page, or partly so by more than the page's own size: for instance because a program counts in pixels.
    private var isBesideThePage: Bool {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return false }
        let isOutside = left > 1 || right < 0 || top > 1 || bottom < 0
        return isOutside || min(left, top) < -1 || max(right, bottom) > 2
    }
}
