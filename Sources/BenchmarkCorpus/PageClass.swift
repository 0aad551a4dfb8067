/// What kind of page it is, for what costs which renderer how much depends on little else.
package enum PageClass: String, Hashable, Sendable, Codable, CaseIterable {
    /// Drawn by fonts and lines, all of it gray.
    case engraved
    /// A photograph of a page, in gray.
    case grayScan = "8-bit scan"
    /// A photograph of a page, in colours.
    case colourScan = "colour scan"
    /// A photograph of a page, in black and white.
    case bilevelScan = "bilevel scan"
    /// Everything else: pages with colour, and pages of charts where pictures stand beside notes.
    case other

    /// Classes a page by the images in its chart's bytes and by whether its image came out gray.
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
