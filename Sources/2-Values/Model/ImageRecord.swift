/// What happened last to a page's image, so that its absence has a reason.
public enum ImageEvent: String, Hashable, Sendable, CaseIterable {
    /// It was made and is in the cache.
    case made
    /// We removed it, to stay within the limits.
    case trimmed
    /// We removed it because the user asked for that.
    case cleared
    /// Another program removed it.
    case vanished
    /// It was found damaged, and removed.
    case corrupt
}

/// The size and paper of an image: together with its record, enough to work out the name that it has with other marks.
public struct ImageFormat: Hashable, Sendable, Codable {
    /// Pixels on the long side.
    public var size: Int
    public var scaledFrom: Int?
    public var paper: Color

    public init(_ inputs: ImageInputs) {
        (size, scaledFrom, paper) = (inputs.size, inputs.scaledFrom, inputs.paper)
    }
}

/// What is remembered of one variant of one page: its last image, and what happened to it.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The name of the renderer that drew it, with the machine's fonts if they matter.
    public var renderer: String
    public var event: ImageEvent
    /// The disk space that it took when it was made.
    public var size: ByteCount
    public var at: Timestamp
    /// `nil` if that is not known or was not asked for.
    public var format: ImageFormat?

    public init(name: ImageName, renderer: String, event: ImageEvent, size: ByteCount, at: Timestamp, format: ImageFormat? = nil) {
        (self.name, self.renderer, self.event, self.size, self.at, self.format) = (name, renderer, event, size, at, format)
    }

    /// The record that remains when `next` follows this one, as the library would keep it.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.event != .made else { return next }
        // What happens to an earlier image says nothing about the page.
        guard next.name == name else { return self }
        var record = self
        (record.event, record.at) = (next.event, next.at)
        if record.renderer.isEmpty { record.renderer = next.renderer }
        if record.size.bytes == 0 { record.size = next.size }
        return record
    }
}
