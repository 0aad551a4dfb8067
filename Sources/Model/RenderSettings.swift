/// What the user can say about how pages look.
public struct RenderSettings: Hashable, Sendable {
    /// Pixels on the long side of plain and annotated images. 2732 is the largest tablet's and a sharp laptop's.
    public var fullSize: Int
    /// Pixels on the long side of thumbnails.
    public var thumbnailSize: Int

    /// Makes settings; the defaults are the documented ones.
    public init(fullSize: Int = 2732, thumbnailSize: Int = 320) {
        self.fullSize = fullSize
        self.thumbnailSize = thumbnailSize
    }

    /// Pixels on the long side of an image of this variant.
    public func size(of variant: Variant) -> Int {
        variant == .thumbnail ? thumbnailSize : fullSize
    }
}
