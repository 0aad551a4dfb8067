import Model

extension Mark {
    /// Why this mark is invisible although it can be read; empty if it leaves ink on the page.
    var reasonsNotToBeSeen: [MarkFault] {
        var reasons: [MarkFault] = []
        func add(_ field: String, _ reason: String) { reasons.append(MarkFault(field, reason)) }
        switch kind {
        case .unknown: return [MarkFault("kind", "“kind” is none of \(Kind.names.joined(separator: ", "))")]
        case .text:
            if (text ?? "").isEmpty { add("text", "“text” is missing or empty") }
            if (setting.size ?? 0) <= 0 { add("size", "“size” is missing or not above 0") }
            if points.isEmpty { add("points", "“points” is missing or empty") }
        case .image:
            if image == nil {
                add("image", "“image” is missing")
            } else if imageForm == nil {
                add("image", "“image” is not a picture: it must be a PNG, or a PDF, in base64")
            }
            if points.count < 2 { add("points", "“points” has fewer than two corners") }
        case .line, .rectangle, .ellipse:
            if points.count < 2 { add("points", "“points” has fewer than two corners") }
            if width <= 0, (fill ?? 0) <= 0 { add("width", "neither “width” nor “fill” is above 0") }
        case .pen, .highlighter, .eraser:
            if points.isEmpty { add("points", "“points” is missing or empty") }
            if width <= 0, !points.contains(where: { ($0.width ?? 0) > 0 }) { add("width", "“width” is not above 0") }
        case .jump, .landing:
            if points.isEmpty { add("points", "“points” is missing or empty") }
            if width <= 0 { add("width", "“width” is not above 0") }
            if kind == .jump, (leads ?? "").isEmpty { add("leads", "“leads” is missing") }
        case .bookmark:
            if points.isEmpty { add("points", "“points” is missing or empty") }
            if ChartPlaces.title(text ?? "").isEmpty { add("text", "“text” is missing or empty") }
        }
        if kind != .image, kind != .eraser, color.alpha == 0 { add("color", "“color” is fully transparent") }
        if isBesideThePage { reasons.append(MarkFault("points", "“points” is off the page, which goes from 0 to 1", isRefused: false)) }
        return reasons
    }

    /// True if the mark is off the page, or if any point is off by more than the page's size, as in files that count in pixels.
    private var isBesideThePage: Bool { isOffThePage || points.contains { min($0.x, $0.y) < -1 || max($0.x, $0.y) > 2 } }

    /// The fields with impossible numbers, such as points a thousand pages away.
    var fieldsBeyondReason: [String] {
        func isFar(_ number: Double) -> Bool { abs(number) > 1000 }
        let fields = [
            ("page", !(0..<100_000).contains(page.value)), ("width", isFar(width)), ("fill", isFar(fill ?? 0)),
            ("size", isFar(setting.size ?? 0)),
            ("dash", dash.contains(where: isFar)), ("points", points.contains { isFar($0.x) || isFar($0.y) || isFar($0.width ?? 0) }),
        ]
        return fields.filter(\.1).map(\.0)
    }
}
