/// Why a version of a chart could not be downloaded.
public struct DownloadFault: Hashable, Sendable {
    public let version: String
    public let reason: String
    /// Since when this has been the reason.
    public let since: Timestamp

    /// Makes it from what is known.
    public init(version: String, reason: String, since: Timestamp) {
        self.version = version
        self.reason = reason
        self.since = since
    }
}

extension [ChartUse: DownloadFault] {
    /// Why the version that the service has now could not be downloaded; `nil` if that is not known.
    public func reason(of attachment: Attachment) -> String? {
        self[attachment.use].flatMap { $0.version == attachment.version ? $0.reason : nil }
    }
}
