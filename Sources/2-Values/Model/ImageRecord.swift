/// What is remembered of one variant of one page: its last image, and what happened to it.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The name of the renderer that drew it, with the machine's fonts if they matter.
    public var renderer: String
    public var fate: ImageFate
    /// The disk space that it took when it was made.
    public var size: ByteCount
    public var at: Timestamp
    /// What it was made from, and why; `nil` if that is not known or was not asked for.
    public var origin: ImageOrigin?

    public init(name: ImageName, renderer: String, fate: ImageFate, size: ByteCount, at: Timestamp, origin: ImageOrigin? = nil) {
        (self.name, self.renderer, self.fate, self.size, self.at, self.origin) = (name, renderer, fate, size, at, origin)
    }

    /// The record that remains when `next` follows this one: the same as the library would keep.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.fate != .made else { return next }
        // What happens to an earlier image says nothing about the page.
        guard next.name == name else { return self }
        var record = self
        (record.fate, record.at) = (next.fate, next.at)
        if record.renderer.isEmpty { record.renderer = next.renderer }
        if record.size.bytes == 0 { record.size = next.size }
        return record
    }
}
