/// What came of a download whose bytes a sink took.
public struct Download: Hashable, Sendable {
    /// How many bytes the sink got.
    public let bytes: Int
    /// What the host of the file calls it.
    public let contentType: String?

    /// Describes a download.
    public init(bytes: Int, contentType: String? = nil) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
