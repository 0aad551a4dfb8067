/// The digest of the marks on one page, in drawing order.
public struct MarkDigest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digest of the marks' canonical form.
    public let digest: Digest
    /// Whether the marks include text, or a picture that may contain text. If so, their look depends on the machine's fonts.
    public let showsText: Bool

    public init(_ digest: Digest, showsText: Bool = false) { (self.digest, self.showsText) = (digest, showsText) }

    public var description: String { digest.shortHex }
    public static func < (left: MarkDigest, right: MarkDigest) -> Bool { left.digest < right.digest }
}

/// The visible marks of one page in drawing order.
public struct PageMarks: Hashable, Sendable {
    public let marks: [Mark]
    public let digest: MarkDigest

    /// Keeps the marks, given in drawing order, that draw anything. Fails if none does.
    public init?(drawing marks: [Mark]) {
        let drawn = marks.filter(\.isDrawn)
        guard !drawn.isEmpty else { return nil }
        self.marks = drawn
        digest = MarkDigest(
            SHA256.digest(of: "woodshed marks \(Self.version)\n" + drawn.map(\.canonical).joined(separator: "\n")),
            showsText: drawn.contains { $0.kind == .text || $0.imageForm == .pdf })
    }

    /// The version of the look of marks. It must be raised when the same marks are drawn differently, so that older images become invalid.
    public static let version = 3

    /// All marks of these layers that draw anything, page by page, in drawing order; then their bookmarks.
    public static func all(in layers: [Layer]) -> [Mark] {
        join(layers).sorted { $0.key < $1.key }.flatMap(\.value.marks)
            + layers.filter { $0.deletedAt == nil }.flatMap(\.marks).filter { $0.kind == .bookmark }
    }

    /// Joins all layers of a chart page by page, sorted by time of creation, layer, and position in the layer. Equal marks with one id in
    /// several layers, as when one player's two laptops share a drawing, are drawn once: drawn twice, translucent ink would be darker.
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
            guard layers.count > 1 else { return PageMarks(drawing: ordered.map(\.mark)) }
            var drawn: [String: Entry] = [:]
            return PageMarks(
                drawing: ordered.filter { entry in
                    if let other = drawn[entry.mark.id], other.layer != entry.layer, other.mark.canonical == entry.mark.canonical {
                        return false
                    }
                    drawn[entry.mark.id] = entry
                    return true
                }.map(\.mark))
        }
    }
}

extension Mark {
    /// Whether the mark draws anything, on the page or outside it.
    public var isDrawn: Bool {
        let numbers =
            points.flatMap { [$0.x, $0.y, $0.width ?? 0] } + dash + [width, fill ?? 0]
            + [setting.size, setting.point, setting.wrap].map { $0 ?? 0 }
        guard numbers.allSatisfy(\.isFinite) else { return false }
        switch kind {
        case .pen, .highlighter, .eraser: return !points.isEmpty && (width > 0 || points.contains { ($0.width ?? 0) > 0 })
        case .line, .rectangle, .ellipse: return points.count >= 2 && (width > 0 || (fill ?? 0) > 0)
        case .text: return !points.isEmpty && (setting.size ?? 0) > 0 && !(text ?? "").isEmpty
        case .image: return points.count >= 2 && image != nil
        case .jump: return !points.isEmpty && width > 0 && leads != nil
        case .landing: return !points.isEmpty && width > 0
        case .bookmark, .unknown: return false
        }
    }

    /// The format of a picture, judged by its first bytes.
    public enum ImageForm: Hashable, Sendable {
        case png, pdf
    }

    /// The format of the mark's picture; `nil` if there is no picture, or its format is unknown.
    public var imageForm: ImageForm? {
        guard let image else { return nil }
        if image.hasPrefix("iVBORw0KGgoA") { return .png }
        // `JVBER` is "%PDF" in base64. The sixth digit is left out, since it also depends on the byte after "%PDF".
        return image.hasPrefix("JVBER") ? .pdf : nil
    }

    /// The look of the mark in a fixed spelling. Two marks with the same text draw the same. Ids and times are left out.
    var canonical: String {
        var parts = [kind.rawValue, color.description, String(width)]
        parts.append(points.map { "\($0.x),\($0.y)" + ($0.width.map { ",\($0)" } ?? "") }.joined(separator: " "))
        parts.append(fill.map { String($0) } ?? "")
        parts.append(dash.map { String($0) }.joined(separator: " "))
        parts.append(cap.rawValue)
        if kind == .text {
            // Free text is replaced by its digest, because it may contain a separator.
            parts.append(SHA256.digest(of: text ?? "").hex)
            parts.append(setting.size.map { String($0) } ?? "")
            parts.append(SHA256.digest(of: setting.font ?? "").hex)
            parts.append(setting.point.map { String($0) } ?? "")
            parts.append(setting.wrap.map { String($0) } ?? "")
            parts.append(setting.alignment.rawValue)
            parts.append(setting.isJustified ? "justified" : "")
        }
        if kind == .image { parts.append(SHA256.digest(of: image ?? "").hex) }
        // The place that a jump leads to is not visible on its page.
        if kind == .jump { parts.append(pass.map { "\($0)" } ?? "") }
        return parts.joined(separator: "|")
    }
}

/// The marks that a file draws, as numbers. Marks that draw the same on the same page in the same keys have the same number.
public struct MarkSums: Hashable, Sendable {
    /// The numbers in ascending order.
    public let values: [UInt64]

    public init(_ values: some Sequence<UInt64>) { self.values = values.sorted() }

    /// The numbers of the marks that draw anything.
    public init(of marks: [Mark]) { self.init(marks.lazy.compactMap(\.drawingSum)) }

    /// Reads the numbers from a `text`, which must be valid.
    public init(text: String) {
        let digits = Array(text.utf8)
        values = stride(from: 0, to: digits.count, by: Self.digits).map { start in
            digits[start..<min(start + Self.digits, digits.count)].reduce(UInt64(0)) {
                $0 << 4 | UInt64($1 & 0x40 == 0 ? $1 & 15 : ($1 & 15) + 9)
            }
        }
    }

    /// All numbers, each as 16 hexadecimal digits.
    public var text: String {
        values.map { value in
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: Self.digits - digits.count) + digits
        }.joined()
    }

    private static let digits = 16

    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }

    /// The marks that `other` lacks. Of several marks that draw the same, those beyond the number that `other` has are lacking.
    public func subtracting(_ other: MarkSums) -> MarkSums {
        var rest: [UInt64] = []
        var there = 0
        for value in values {
            while there < other.count, other.values[there] < value { there += 1 }
            if there < other.count, other.values[there] == value { there += 1 } else { rest.append(value) }
        }
        return MarkSums(rest)
    }
}

extension Mark {
    /// Equal for marks that draw the same on the same page and in the same keys; `nil` for a mark that draws nothing.
    public var drawingSum: UInt64? {
        isDrawn ? SHA256.digest(of: "\(page.value)|\(canonical)" + (chordKey.map { "|\($0)" } ?? "")).words.0 : nil
    }
}

extension [Layer] {
    /// The layers without the marks for other keys; with all marks if `key` is `nil`.
    public func shown(in key: ChordKey?) -> [Layer] { key == nil ? self : without { $0.chordKey != nil && $0.chordKey != key } }

    /// The layers as shown in each key that has marks of its own and, under `nil`, in all other keys; empty if no mark is for a single key.
    fileprivate var byKey: [(key: ChordKey?, layers: [Layer])] {
        let keys = Set(lazy.flatMap(\.marks).compactMap(\.chordKey))
        return keys.isEmpty ? [] : keys.sorted().map { ($0, shown(in: $0)) } + [(nil, without { $0.chordKey != nil })]
    }

    /// The marks that these layers show on a page, in any key, if their digest is `digest`; otherwise `nil`.
    public func marks(_ digest: MarkDigest, on page: PageIndex) -> PageMarks? {
        let here = without { $0.page != page }
        if let marks = PageMarks.join(here)[page], marks.digest == digest { return marks }
        return here.byKey.lazy.compactMap { PageMarks.join($0.layers)[page] }.first { $0.digest == digest }
    }

    fileprivate func without(_ isLeftOut: (Mark) -> Bool) -> [Layer] {
        map { layer in
            guard layer.marks.contains(where: isLeftOut) else { return layer }
            var layer = layer
            layer.marks.removeAll(where: isLeftOut)
            return layer
        }
    }
}

/// The digests of the marks on the pages of a chart, which are enough to know which images are wanted.
public struct DrawnPages: Hashable, Sendable {
    /// Identifies the layers that the digests were made from. It changes whenever other marks may be drawn.
    public let drawing: Digest
    /// The pages with marks, if the key of the chart is unknown.
    private let pages: [PageIndex: MarkDigest]
    /// The pages with marks in each key that has marks of its own and, under `nil`, in all other keys; empty if no mark is for a
    /// single key.
    private let inKeys: [ChordKey?: [PageIndex: MarkDigest]]

    public init(drawing: Digest, of layers: [Layer]) {
        func digests(_ layers: [Layer]) -> [PageIndex: MarkDigest] { PageMarks.join(layers).mapValues(\.digest) }
        self.drawing = drawing
        pages = digests(layers)
        let keyed = Set(layers.lazy.flatMap(\.marks).filter { $0.chordKey != nil }.map(\.page))
        // All other pages look the same in every key.
        let others = pages.filter { !keyed.contains($0.key) }
        let byKey = keyed.isEmpty ? [] : layers.without { !keyed.contains($0.page) }.byKey
        inKeys = Dictionary(uniqueKeysWithValues: byKey.map { ($0.key, digests($0.layers).merging(others) { $1 }) })
    }

    /// The pages with marks on a chart whose chords are in this key.
    public func pages(in key: ChordKey?) -> [PageIndex: MarkDigest] {
        key == nil ? pages : inKeys[key] ?? inKeys[ChordKey?.none] ?? pages
    }

    /// Identifies the marks in all keys; `nil` if no mark is for a single key.
    public var inKeysDigest: Digest? { inKeys.isEmpty ? nil : SHA256.digest(of: text) }

    /// Reads a `text`. Fails for any other text.
    package init?(drawing: Digest, text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let pages = Self.pages(lines[0]) else { return nil }
        (self.drawing, self.pages) = (drawing, pages)
        var inKeys: [ChordKey?: [PageIndex: MarkDigest]] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let key = ChordKey(String(parts[0]))
            guard parts.count == 2, key != nil || parts[0] == Self.others, let pages = Self.pages(parts[1]) else { return nil }
            inKeys[key] = pages
        }
        self.inKeys = inKeys
    }

    private static let others = "others"

    private static func pages(_ text: Substring) -> [PageIndex: MarkDigest]? {
        var pages: [PageIndex: MarkDigest] = [:]
        for entry in text.split(separator: " ") {
            let parts = entry.split(separator: ":")
            guard parts.count == 3, let page = Int(parts[0]), let digest = Digest(hex: String(parts[1])) else { return nil }
            pages[PageIndex(page)] = MarkDigest(digest, showsText: parts[2] == "text")
        }
        return pages
    }

    /// One line for an unknown key, then one for each key with marks of its own, and one for all other keys.
    package var text: String {
        let named = inKeys.map { "\($0.key?.description ?? Self.others) \(Self.text($0.value))" }
        return ([Self.text(pages)] + named.sorted()).joined(separator: "\n")
    }

    private static func text(_ pages: [PageIndex: MarkDigest]) -> String {
        pages.sorted { $0.key < $1.key }
            .map { "\($0.key.value):\($0.value.digest.hex):\($0.value.showsText ? "text" : "shapes")" }.joined(separator: " ")
    }
}
