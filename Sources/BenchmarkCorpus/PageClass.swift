/// What kind of page it is, which decides more than anything else how much it costs a renderer.
package enum PageClass: String, Hashable, Sendable, Codable, CaseIterable {
    /// Drawn with fonts and lines, all in gray.
    case engraved
    /// A photograph of a page, in gray.
    case grayScan = "8-bit scan"
    /// A photograph of a page, in colour.
    case colourScan = "colour scan"
    /// A photograph of a page, in black and white.
    case bilevelScan = "bilevel scan"
    /// Everything else: pages with colour, and pages of charts that combine pictures with notes.
    case other

    /// Classifies a page by the images in its chart's bytes, and by whether it was drawn in gray.
    package init(images: [EmbeddedImage], pageCount: Int, isGray: Bool) {
        let pageSized = images.filter(\.isPageSized)
        if images.isEmpty {
            self = isGray ? .engraved : .other
        } else if pageSized.count < pageCount {
            self = .other
        } else if !isGray {
            self = images.contains(where: \.isBilevel) ? .other : .colourScan
        } else if images.allSatisfy(\.isBilevel) {
            self = .bilevelScan
        } else {
            self = pageSized.contains(where: \.isBilevel) ? .other : .grayScan
        }
    }
}
