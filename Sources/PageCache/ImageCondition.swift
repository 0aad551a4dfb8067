public import Platform

/// How an image is.
public enum ImageCondition: Hashable, Sendable {
    case whole
    case missing
    case damaged
    /// It is there and cannot be read, which says nothing about it.
    case unreadable(SystemError)
}
