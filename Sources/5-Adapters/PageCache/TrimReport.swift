public import Model
public import Platform

/// The outcome of a trim.
public struct TrimReport: Hashable, Sendable {
    /// An image that could not be removed.
    public struct Failure: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// The images that were removed, in that order. Those that somebody else removed first are not among them.
    public internal(set) var removed: [ImageName] = []
    /// The disk space that this freed.
    public internal(set) var freed = ByteCount(0)
    public internal(set) var failed: [Failure] = []

    /// Makes a report of nothing removed.
    public init() {}
}
