/// The chart that an attachment has in the library.
public struct StoredChart: Hashable, Sendable {
    /// The hash of its bytes.
    public let hash: ChartHash
    /// How many bytes it has.
    public let size: Int
    /// The `Attachment.version` that it was downloaded as.
    public let version: String

    /// Makes a record of a stored chart.
    public init(hash: ChartHash, size: Int, version: String) {
        self.hash = hash
        self.size = size
        self.version = version
    }
}
