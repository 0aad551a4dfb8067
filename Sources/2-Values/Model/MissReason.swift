/// Why an image that was asked for was not in the cache.
public enum MissReason: String, Hashable, Sendable, CaseIterable, Codable {
    case neverMade = "never-made"
    case trimmed
    case cleared
    case vanished
    case corrupt
    /// The page was drawn by another renderer, or with other fonts.
    case rendererChanged = "renderer-changed"
}
