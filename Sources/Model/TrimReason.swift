/// Why an image was removed to stay within the limits.
public enum TrimReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// The images took more than they may.
    case size
    /// The disk was short.
    case disk
    /// No plan needs it, and it was not shown for long.
    case age
}
