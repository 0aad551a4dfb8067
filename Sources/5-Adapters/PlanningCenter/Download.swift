/// The result of a download whose bytes went to a sink.
public struct Download: Hashable, Sendable {
    /// How many bytes the sink received.
    public let bytes: Int
    /// The type that the file's host gives for it.
    public let contentType: String?

    /// Makes a result.
    public init(bytes: Int, contentType: String? = nil) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
