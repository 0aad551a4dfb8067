public import Model
public import Platform

/// What a full check of images found.
public struct VerifyReport: Hashable, Sendable {
    /// An image that could not be read for now: it may be whole, and was left as it is.
    public struct Unreadable: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// How many are exactly as they were made.
    public internal(set) var whole = 0
    /// Those that are not. They were removed, unless the cache is only read.
    public internal(set) var bad: [ImageName] = []
    /// Those among them that stand there still: they could not be removed, or the cache is only read.
    public internal(set) var left: [ImageName] = []
    /// Those that were asked for and are not there.
    public internal(set) var missing: Set<ImageName> = []
    /// Those among them that were known to be there.
    public internal(set) var vanished: [ImageName] = []
    public internal(set) var unreadable: [Unreadable] = []
    /// What stands among the images and is none of ours, as paths within the folder of images. It is left alone.
    public internal(set) var strangers: [String] = []
}
