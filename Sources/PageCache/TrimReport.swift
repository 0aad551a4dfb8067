public import Model
public import Platform

/// The outcome of a trim.
public struct TrimReport: Hashable, Sendable {
    /// An image that could not be removed.
    public struct Failure: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// Those that went, in the order in which they did. One that somebody else removed first is not among them.
    public internal(set) var removed: [ImageName] = []
    /// The disk space that this gave back.
    public internal(set) var freed = ByteCount(0)
    public internal(set) var failed: [Failure] = []

    /// Nothing was to be removed.
    public init() {}
}
