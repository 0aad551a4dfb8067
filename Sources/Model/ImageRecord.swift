/// What is remembered of one variant of one page: which image it was last, and what became of it.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The tag of the renderer that drew it.
    public var renderer: String
    public var fate: ImageFate
    /// The disk space that it took when it was made.
    public var size: ByteCount
    public var at: Timestamp

    /// Describes an image's fate.
    public init(name: ImageName, renderer: String, fate: ImageFate, size: ByteCount, at: Timestamp) {
        self.name = name
        self.renderer = renderer
        self.fate = fate
        self.size = size
        self.at = at
    }
}
