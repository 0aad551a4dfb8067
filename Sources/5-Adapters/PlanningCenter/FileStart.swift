/// Where in a file the bytes begin that a sink is about to receive.
public struct FileStart: Hashable, Sendable {
    /// 0 if the file starts from its beginning, whatever came before; otherwise the number of bytes that the sink already has.
    public let offset: Int
    /// The host's strong ETag for these bytes; only with it can the download be continued later.
    public let validator: String?

    /// Makes a start.
    public init(offset: Int, validator: String? = nil) {
        self.offset = offset
        self.validator = validator
    }
}
