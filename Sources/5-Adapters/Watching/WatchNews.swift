/// Which events are reported for the files in a watched folder. New and removed folders are always reported.
public struct WatchNews: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Files that were deleted or moved out.
    public static let removals = WatchNews(rawValue: 1)
    /// Files that were closed after writing, or moved in.
    public static let writes = WatchNews(rawValue: 2)
}
