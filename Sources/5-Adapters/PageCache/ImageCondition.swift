public import Platform

/// The state of an image.
public enum ImageCondition: Hashable, Sendable {
    case intact
    case missing
    case damaged
    /// It is there but cannot be read, which says nothing about it.
    case unreadable(SystemError)
}
