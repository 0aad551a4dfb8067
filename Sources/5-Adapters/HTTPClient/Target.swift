import CCurl
import Platform

/// Where one exchange goes: an address as libcurl itself parses it, so that there is only one reading of it.
struct Target: Hashable, Sendable {
    let url: String
    let scheme: String
    /// A name, or an IP address in its usual form; IPv6 in brackets.
    let host: String
    let port: String

    /// The part of an address that credentials belong to.
    struct Origin: Hashable, Sendable {
        let scheme: String
        let host: String
        let port: String
    }

    var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// Reads an address; that of a redirect may be relative to `base`.
    init(_ text: String, relativeTo base: Target? = nil) throws(HTTPFailure) {
        let unreadable = HTTPFailure(.refused, "the address in a \(base == nil ? "request" : "redirect") cannot be read")
        guard let handle = curl_url() else { throw unreadable }
        defer { curl_url_cleanup(handle) }
        if let base, curl_url_set(handle, CURLUPART_URL, base.url, 0) != CURLUE_OK { throw unreadable }
        // A redirect may contain blanks, which the servers that send them expect to be encoded.
        let flags = base == nil ? 0 : UInt32(CURLU_URLENCODE)
        guard !text.utf8.contains(0), curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { throw unreadable }
        guard Self.part(CURLUPART_USER, of: handle) == nil, Self.part(CURLUPART_PASSWORD, of: handle) == nil else {
            throw HTTPFailure(.refused, "an address with a user name in it is not used")
        }
        curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0)
        guard let url = Self.part(CURLUPART_URL, of: handle), let scheme = Self.part(CURLUPART_SCHEME, of: handle) else {
            throw unreadable
        }
        guard scheme == "https" || scheme == "http" else {
            throw HTTPFailure(.refused, "an address that begins with \"\(scheme):\" is not used, only https")
        }
        guard let host = Self.part(CURLUPART_HOST, of: handle), let port = Self.part(CURLUPART_PORT, of: handle) else { throw unreadable }
        (self.url, self.scheme) = (url, scheme)
        self.host = host.lowercased()
        self.port = port
    }

    /// The failure for a redirect from here to `other`: says where it points, without anything after the host.
    func ledAway(to other: Target) -> HTTPFailure {
        let place =
            other.host != host ? other.host : other.scheme != scheme ? "\(other.scheme)://\(host)" : "port \(other.port) of the same host"
        return HTTPFailure(.ledAway, "\(host) points to \(place)")
    }

    /// True if the host is this machine, as an IP address or as the one name for which libcurl never asks a name server.
    var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = part == CURLUPART_PORT ? UInt32(CURLU_DEFAULT_PORT) : 0
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
