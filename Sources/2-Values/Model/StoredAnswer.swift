/// A complete answer of the service, kept so that it need not be sent again.
public struct StoredAnswer: Hashable, Sendable {
    /// What the service calls this state of it.
    public let etag: String
    public let body: [UInt8]
    /// When it was last sent in full.
    public let toldAt: Timestamp

    /// Notes an answer.
    public init(etag: String, body: [UInt8], toldAt: Timestamp) {
        self.etag = etag
        self.body = body
        self.toldAt = toldAt
    }

    /// How many bytes it takes.
    public var size: Int { etag.utf8.count + body.count }
}
