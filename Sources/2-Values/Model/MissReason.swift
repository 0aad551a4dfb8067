/// Why an image that was asked for was not in the cache.
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
    /// If the record's renderer is empty, it is not known, and does not count as another one.
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
        // It should be there: nothing reported that it went.
        case .made, .vanished: self = .vanished
        case .trimmed: self = .trimmed
        case .cleared: self = .cleared
        case .corrupt: self = .corrupt
        }
    }
}
