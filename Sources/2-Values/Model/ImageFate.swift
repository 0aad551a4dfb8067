/// What happened last to a page's image, so that its absence has a reason.
public enum ImageFate: String, Hashable, Sendable, CaseIterable, Codable {
    /// It was made and is in the cache.
    case made
    /// We removed it, to stay within the limits.
    case trimmed
    /// We removed it because the user asked for that.
    case cleared
    /// Somebody else removed it.
    case vanished
    /// It was found damaged, and removed.
    case corrupt
}
