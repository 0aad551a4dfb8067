/// The digest of what is drawn on one page, in drawing order.
public struct MarkDigest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digest of the marks' canonical form.
    public let digest: Digest
    /// Whether text is among them, or a picture that may contain some: their look depends on the machine's fonts.
    public let showsText: Bool

    /// Wraps a digest of a page's marks.
    public init(_ digest: Digest, showsText: Bool = false) {
        self.digest = digest
        self.showsText = showsText
    }

    public var description: String { digest.shortHex }
    public static func < (left: MarkDigest, right: MarkDigest) -> Bool { left.digest < right.digest }
}

/// The visible marks of one page, in the order in which they are drawn.
public struct PageMarks: Hashable, Sendable {
    public let marks: [Mark]
    public let digest: MarkDigest

    /// Takes marks in drawing order; `nil` if nothing would be drawn.
    public init?(drawing marks: [Mark]) {
        let drawn = marks.filter(\.isDrawn)
        guard !drawn.isEmpty else { return nil }
        self.marks = drawn
        digest = MarkDigest(
            SHA256.digest(of: "woodshed marks \(Self.version)\n" + drawn.map(\.canonical).joined(separator: "\n")),
            showsText: drawn.contains { $0.kind == .text || $0.imageForm == .pdf })
    }

    /// The version of how marks look. Increase it whenever the same marks are drawn differently: older images no longer count then.
    public static let version = 2

    /// Joins all layers of a chart page by page: by creation, then layer, then place in the layer.
    public static func join(_ layers: [Layer]) -> [PageIndex: PageMarks] {
        struct Entry {
            let mark: Mark
            let layer: LayerID
            let place: Int
        }
        var pages: [PageIndex: [Entry]] = [:]
        for layer in layers where layer.deletedAt == nil {
            for (place, mark) in layer.marks.enumerated() {
                pages[mark.page, default: []].append(Entry(mark: mark, layer: layer.id, place: place))
            }
        }
        let unknownTime = Timestamp(nanoseconds: .min)
        return pages.compactMapValues { entries in
            let ordered = entries.sorted {
                ($0.mark.createdAt ?? unknownTime, $0.layer, $0.place) < ($1.mark.createdAt ?? unknownTime, $1.layer, $1.place)
            }
            return PageMarks(drawing: ordered.map(\.mark))
        }
    }
}

extension Mark {
    /// Whether it leaves anything on the page.
    public var isDrawn: Bool {
        let numbers =
            points.flatMap { [$0.x, $0.y, $0.width ?? 0] } + dash + [width, fill ?? 0, size ?? 0, setting.point ?? 0, setting.wrap ?? 0]
        guard numbers.allSatisfy(\.isFinite) else { return false }
        switch kind {
        case .pen, .highlighter, .eraser: return !points.isEmpty && (width > 0 || points.contains { ($0.width ?? 0) > 0 })
        case .line, .rectangle, .ellipse: return points.count >= 2 && (width > 0 || (fill ?? 0) > 0)
        case .text: return !points.isEmpty && (size ?? 0) > 0 && !(text ?? "").isEmpty
        case .image: return points.count >= 2 && image != nil
        case .unknown: return false
        }
    }

    /// The format of a picture, judging by its first bytes.
    public enum ImageForm: Hashable, Sendable {
        case png, pdf
    }

    /// The format of its picture; `nil` if it has none, or one of another format.
    public var imageForm: ImageForm? {
        guard let image else { return nil }
        if image.hasPrefix("iVBORw0KGgoA") { return .png }
        // "%PDF" in base64; the fourth letter shares its digit with what follows.
        return image.hasPrefix("JVBER") ? .pdf : nil
    }

    /// What is drawn, written in one way: two marks have the same text if and only if they draw the same. Ids and times are left out.
    var canonical: String {
        var parts = [kind.rawValue, color.description, String(width)]
        parts.append(points.map { "\($0.x),\($0.y)" + ($0.width.map { ",\($0)" } ?? "") }.joined(separator: " "))
        parts.append(fill.map { String($0) } ?? "")
        parts.append(dash.map { String($0) }.joined(separator: " "))
        parts.append(cap.rawValue)
        if kind == .text {
            // Free text is replaced by its digest, so that it cannot contain a separator.
            parts.append(SHA256.digest(of: text ?? "").hex)
            parts.append(size.map { String($0) } ?? "")
            parts.append(SHA256.digest(of: font ?? "").hex)
            parts.append(setting.point.map { String($0) } ?? "")
            parts.append(setting.wrap.map { String($0) } ?? "")
            parts.append(setting.alignment.rawValue)
            parts.append(setting.isJustified ? "justified" : "")
        }
        if kind == .image { parts.append(SHA256.digest(of: image ?? "").hex) }
        return parts.joined(separator: "|")
    }
}
