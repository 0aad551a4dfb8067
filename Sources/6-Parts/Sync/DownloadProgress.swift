import Model

/// The downloads of this poll.
public struct DownloadProgress: Hashable, Sendable, Codable {
    public var charts = 0
    public var done = 0
    /// Bytes that have arrived, and those announced for all; for files that are made on demand nothing is announced.
    public var bytes = 0
    public var announcedBytes = 0

    /// Says how far they are; by default there are none.
    public init(charts: Int = 0, done: Int = 0, bytes: Int = 0, announcedBytes: Int = 0) {
        self.charts = charts
        self.done = done
        self.bytes = bytes
        self.announcedBytes = announcedBytes
    }

    /// Starts with what the service says about these files; there may be any number, of any size.
    init(of files: [Attachment]) {
        let bytes = files.map { max($0.fileSize, 0) }.reduce(0) { min($0, .max - $1) + $1 }
        self.init(charts: files.count, announcedBytes: bytes)
    }
}
