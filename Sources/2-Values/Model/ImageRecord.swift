/// What last happened to a page's image. If the image is missing, the event is the reason.
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

/// The size and paper of an image. Together with the image's record, they are enough to find out what the image of the same page with
/// other marks is called.
public struct ImageFormat: Hashable, Sendable, Codable {
    /// The number of pixels on the long side.
    public var size: Int
    public var scaledFrom: Int?
    public var paper: Color

    public init(_ inputs: ImageInputs) {
        (size, scaledFrom, paper) = (inputs.size, inputs.scaledFrom, inputs.paper)
    }
}

/// The record of one variant of one page: its last image, and what last happened to that image.
public struct ImageRecord: Hashable, Sendable {
    public var name: ImageName
    /// The name of the renderer that drew the image, followed by that of the machine's fonts if the image depends on them; empty if
    /// unknown.
    public var renderer: String
    public var event: ImageEvent
    /// The disk space that the image took when it was made; 0 if it is unknown.
    public var size: ByteCount
    public var at: Timestamp
    /// The format of the image; `nil` if it is unknown or was not read.
    public var format: ImageFormat?

    public init(name: ImageName, renderer: String, event: ImageEvent, size: ByteCount, at: Timestamp, format: ImageFormat? = nil) {
        (self.name, self.renderer, self.event, self.size, self.at, self.format) = (name, renderer, event, size, at, format)
    }

    /// The record that results when `next` follows this one. A new image replaces the record; another event only changes it.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.event != .made else { return next }
        // An event of an earlier image does not concern the present image.
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

    /// Finds out why the image `name`, which `renderer` would draw, is not in the cache. `record` is the record of the
    /// image's page and variant.
    ///
    /// An empty renderer in the record is unknown, and does not count as another renderer.
    public init(of name: ImageName, renderer: String, record: ImageRecord?) {
        guard let record else {
            self = .neverMade
            return
        }
        guard record.name == name else {
            // If the renderer is the same or unknown, the new name comes from new marks, another size or another paper.
            self = record.renderer.isEmpty || record.renderer == renderer ? .neverMade : .rendererChanged
            return
        }
        switch record.event {
        // If no removal was recorded, another program must have removed the image.
        case .made, .vanished: self = .vanished
        case .trimmed: self = .trimmed
        case .cleared: self = .cleared
        case .corrupt: self = .corrupt
        }
    }
}
