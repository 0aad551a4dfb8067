/// What is drawn on the pages of a chart, by digests: enough to know which images are wanted.
public struct DrawnPages: Hashable, Sendable {
    /// Which layers it is made from; it is different as soon as something else may be drawn.
    public let drawing: Digest
    /// The pages with marks.
    public let pages: [PageIndex: MarkDigest]

    /// Notes what is drawn.
    public init(drawing: Digest, pages: [PageIndex: MarkDigest]) {
        self.drawing = drawing
        self.pages = pages
    }

    /// Reads what `text` wrote; `nil` for anything else.
    package init?(drawing: Digest, text: String) {
        var pages: [PageIndex: MarkDigest] = [:]
        for entry in text.split(separator: " ") {
            let parts = entry.split(separator: ":")
            guard parts.count == 3, let page = Int(parts[0]), let digest = Digest(hex: String(parts[1])) else { return nil }
            pages[PageIndex(page)] = MarkDigest(digest, showsText: parts[2] == "text")
        }
        self.init(drawing: drawing, pages: pages)
    }

    package var text: String {
        pages.sorted { $0.key < $1.key }
            .map { "\($0.key.value):\($0.value.digest.hex):\($0.value.showsText ? "text" : "shapes")" }.joined(separator: " ")
    }
}
