public import Model
public import Platform

/// What a full check of images found.
public struct VerifyReport: Hashable, Sendable {
    /// An image that could not be read for now: it may be intact, and was left as it is.
    public struct Unreadable: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// How many are exactly as they were made.
    public internal(set) var intact = 0
    /// Those that are not. They were removed, unless the cache was opened for reading only.
    public internal(set) var bad: [ImageName] = []
    /// Those of them that are still there: they could not be removed, or the cache was opened for reading only.
    public internal(set) var left: [ImageName] = []
    /// Images that were asked for and are not there.
    public internal(set) var missing: Set<ImageName> = []
    /// Those of them that were known to be there.
    public internal(set) var vanished: [ImageName] = []
    public internal(set) var unreadable: [Unreadable] = []
    /// Files among the images that are not ours, as paths within the folder of images. They are left alone.
    public internal(set) var strangers: [String] = []
}
