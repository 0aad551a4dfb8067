/// From where on the bytes of a file come that a sink is about to get.
public struct FileStart: Hashable, Sendable {
    /// 0 for a file from its beginning, whatever came before; else as many bytes as the sink has got already.
    public let offset: Int
    /// Names these bytes at their host, strongly; only with it can a file be continued.
    public let validator: String?

    /// Describes a start.
    public init(offset: Int, validator: String? = nil) {
        self.offset = offset
        self.validator = validator
    }
}
