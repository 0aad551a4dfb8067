/// The last event of a page's image, so that its absence has a reason.
public enum ImageEvent: String, Hashable, Sendable, CaseIterable {
    /// It was made and is in the cache.
    case made
    /// We removed it, to stay within the limits.
    case trimmed
    /// We removed it on the user's request.
    case cleared
    /// Another program removed it.
    case vanished
    /// It was found damaged, and removed.
    case corrupt
}

/// The size and paper of an image: together with its record, enough to work out its name with other marks.
public struct ImageFormat: Hashable, Sendable, Codable {
    /// Pixels on the long side.
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
    /// The name of the renderer that drew it, with the machine's fonts if they matter.
    public var renderer: String
    public var event: ImageEvent
    /// The disk space that it took when it was made.
    public var size: ByteCount
    public var at: Timestamp
    /// `nil` if that is not known or was not requested.
    public var format: ImageFormat?

    public init(name: ImageName, renderer: String, event: ImageEvent, size: ByteCount, at: Timestamp, format: ImageFormat? = nil) {
        (self.name, self.renderer, self.event, self.size, self.at, self.format) = (name, renderer, event, size, at, format)
    }

    /// The record that remains when `next` follows this one, as the library would keep it.
    public func followed(by next: ImageRecord) -> ImageRecord {
        guard next.event != .made else { return next }
        // Events of an earlier image prove nothing about the page.
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
    /// The page was drawn by another renderer, or with other fonts.
    case rendererChanged = "renderer-changed"

    /// Why the image `name`, to be drawn by `renderer`, is not in the cache, judging by the record of its page and variant.
    ///
    /// An empty name of the record's renderer means that it is unknown, and does not count as another one.
    public init(of name: ImageName, renderer: String, record: ImageRecord?) {
        guard let record else {
            self = .neverMade
            return
        }
        guard record.name == name else {
            // The same renderer gives an image a new name for new marks, another size or another paper.
            self = record.renderer.isEmpty || record.renderer == renderer ? .neverMade : .rendererChanged
            return
        }
        switch record.event {
        // It should be there: no removal was reported.
        case .made, .vanished: self = .vanished
        case .trimmed: self = .trimmed
        case .cleared: self = .cleared
        case .corrupt: self = .corrupt
        }
    }
}
