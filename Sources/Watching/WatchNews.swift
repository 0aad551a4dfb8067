/// What is told of the files in a watched folder. New and vanished folders are told always.
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
