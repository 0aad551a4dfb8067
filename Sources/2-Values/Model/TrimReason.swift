/// Why an image was removed to stay within the limits.
public enum TrimReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// The images took more space than allowed.
    case size
    /// The disk was short of space.
    case disk
    /// No plan needs it, and it had not been shown for long.
    case age
}
