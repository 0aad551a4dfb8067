/// How the user wants pages to look.
public struct RenderSettings: Hashable, Sendable {
    /// Pixels on the long side of plain and annotated images. 2732 is that of the largest tablet and of a sharp laptop.
    public var fullSize: Int
    /// Pixels on the long side of thumbnails.
    public var thumbnailSize: Int
    /// What pages are drawn on, and what an eraser leaves; opaque.
    public var paper: Color

    /// Makes settings; the defaults are the documented ones.
    public init(fullSize: Int = 2732, thumbnailSize: Int = 320, paper: Color = .white) {
        self.fullSize = fullSize
        self.thumbnailSize = thumbnailSize
        self.paper = paper
    }

    /// Pixels on the long side of an image of this variant.
    public func size(of variant: Variant) -> Int {
        variant == .thumbnail ? thumbnailSize : fullSize
    }
}
