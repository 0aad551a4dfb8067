import CCurl

extension CurlTransport {
    /// The version of libcurl, and of the TLS library behind it.
    public nonisolated static var libraryVersion: String {
        guard let text = curl_version() else { return "unknown" }
        return String(cString: text).split(separator: " ").prefix(2).joined(separator: ", ")
    }
}
