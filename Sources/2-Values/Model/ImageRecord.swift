/// The last event of a page's image; it explains why the image is absent.
public enum ImageEvent: String, Hashable, Sendable, CaseIterable {
    /// The image was made and is in the cache.
    case made
    /// This program removed the image to stay within the limits.
    case trimmed
    /// This program removed the image at the user's request.
    case cleared
    /// Another program removed the image.
    case vanished
    /// The image was found damaged and was removed.
    case corrupt
}

/// The size and paper of an image: with the image's record, enough to derive its name with other marks.
public struct ImageFormat: Hashable, Sendable, Codable {
    /// The number of pixels on the long side.
    public var size: Int
    public var scaledFrom: Int?
    public var paper: Color

    public init(_ inputs: ImageInputs) {
        (size, scaledFrom, paper) = (inputs.size, inputs.scaledFrom, inputs.paper)
    }
}

/// The record of one variant of one page: its last image, and that image's last event.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The name of the renderer that drew the image, with the machine's fonts if the image depends on them.
    public var renderer: String
    public var event: ImageEvent
    /// The disk space that the image took when it was made.
    public var size: ByteCount
    public var at: Timestamp
    /// `nil` if the format is unknown or was not requested.
    public var format: ImageFormat?

    public init(name: ImageName, renderer: String, event: ImageEvent, size: ByteCount, at: Timestamp, format: ImageFormat? = nil) {
        (self.name, self.renderer, self.event, self.size, self.at, self.format) = (name, renderer, event, size, at, format)
    }

    /// The record that results when `next` follows this one, by the library's rules.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.event != .made else { return next }
        // Events of an earlier image say nothing about the present one.
        guard next.name == name else { return self }
        var record = self
        (record.event, record.at) = (next.event, next.at)
        if record.renderer.isEmpty { record.renderer = next.renderer }
        if record.size.bytes == 0 { record.size = next.size }
        return record
    }
}

/// Why a requested image was not in the cache.
public enum MissReason: String, Hashable, Sendable, CaseIterable, Codable {
    case neverMade = "never-made"
    case trimmed
    case cleared
    case vanished
    case corrupt
    /// The last image was drawn by another renderer, or with other fonts.
    case rendererChanged = "renderer-changed"

    /// Finds out why the image `name`, to be drawn by `renderer`, is not in the cache. `record` is the record of its page and variant.
    ///
    /// An empty renderer in the record means that the renderer is unknown, and does not count as another one.
    public init(of name: ImageName, renderer: String, record: ImageRecord?) {
        guard let record else {
            self = .neverMade
            return
        }
        guard record.name == name else {
            // With the same renderer, a new name comes from new marks, another size or another paper.
            self = record.renderer.isEmpty || record.renderer == renderer ? .neverMade : .rendererChanged
            return
        }
        switch record.event {
        // No removal was recorded, so another program must have removed the image.
        case .made, .vanished: self = .vanished
        case .trimmed: self = .trimmed
        case .cleared: self = .cleared
        case .corrupt: self = .corrupt
        }
    }
}
