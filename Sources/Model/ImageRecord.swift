/// What is remembered of one variant of one page: which image it was last, and what became of it.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The tag of the renderer that drew it.
    public var renderer: String
    public var fate: ImageFate
    /// The disk space that it took when it was made.
    public var size: ByteCount
    public var at: Timestamp
    /// What it was made from, and why; `nil` where that is not known or was not asked for.
    public var origin: ImageOrigin?

    /// Describes an image's fate.
    public init(name: ImageName, renderer: String, fate: ImageFate, size: ByteCount, at: Timestamp, origin: ImageOrigin? = nil) {
        self.name = name
        self.renderer = renderer
        self.fate = fate
        self.size = size
        self.at = at
        self.origin = origin
    }

    /// What is remembered of a page's image when `next` is told after this: the same as the library makes of it.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.fate != .made else { return next }
        // What happens to a former image is no news of the page.
        guard next.name == name else { return self }
        var record = self
        (record.fate, record.at) = (next.fate, next.at)
        if record.renderer.isEmpty { record.renderer = next.renderer }
        if record.size.bytes == 0 { record.size = next.size }
        return record
    }
}
