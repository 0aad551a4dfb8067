import CCurl
import Model

/// An http or https address, parsed by libcurl, which also sends the request: no second parser can send a secret to another origin.
public struct WebAddress: Hashable, Sendable {
    public let scheme: String
    /// A name in lower case, or an IP address in normal form; IPv6 in brackets.
    public let host: String
    public let port: String
    /// The path and the query, beginning with a slash.
    public let rest: String

    /// What to refuse or repair, in addition to what libcurl refuses.
    public struct Rules: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Refuses an address that libcurl parses differently from how it is written, or that contains characters with a meaning in a
        /// terminal or a page, so that nobody can mistake the address for another one.
        public static let plain = Rules(rawValue: 1)
        /// Refuses a query and a fragment, because paths will be appended to the address.
        public static let folder = Rules(rawValue: 2)
        /// Encodes blanks and non-ASCII letters, as redirecting servers expect.
        public static let encoded = Rules(rawValue: 4)
    }

    /// Why an address is refused. The text never repeats the address, which may contain a password.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case unreadable
        case otherScheme
        case hasUser
        case hasQuery
        case noHost
        case noPort
        case notPlain
        case unusual

        public var description: String {
            switch self {
            case .unreadable: "it cannot be read as an address"
            case .otherScheme: "an address that begins with 'https://' is expected"
            case .hasUser: "an address must not contain a user name or password"
            case .hasQuery: "an address without '?' and '#' is expected"
            case .noHost: "the address has no host"
            case .noPort: "the address has no valid port: 1 to 65535 is expected after ':'"
            case .notPlain: "an address contains no spaces, quotes or '..', and only ASCII characters"
            case .unusual: "the address is written in an unusual way; write it as in 'https://example.org/path'"
            }
        }
    }

    /// Parses an address, which may be relative to `base`.
    public init(_ text: some StringProtocol, _ rules: Rules = [], from base: WebAddress? = nil) throws(Fault) {
        let text = String(text)
        guard !text.utf8.contains(0), let handle = curl_url() else { throw .unreadable }
        defer { curl_url_cleanup(handle) }
        if let base, curl_url_set(handle, CURLUPART_URL, base.text, 0) != CURLUE_OK { throw .unreadable }
        switch curl_url_set(handle, CURLUPART_URL, text, rules.contains(.encoded) ? UInt32(CURLU_URLENCODE) : 0) {
        case CURLUE_OK: break
        case CURLUE_UNSUPPORTED_SCHEME: throw .otherScheme
        case CURLUE_BAD_PORT_NUMBER: throw .noPort
        case CURLUE_NO_HOST: throw .noHost
        default: throw text.contains("://") ? .unreadable : .otherScheme
        }
        func part(_ part: CURLUPart) -> String? { Self.part(part, of: handle) }
        guard part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil else { throw .hasUser }
        guard let scheme = part(CURLUPART_SCHEME), ["https", "http"].contains(scheme) else { throw .otherScheme }
        guard let host = part(CURLUPART_HOST), let path = part(CURLUPART_PATH), part(CURLUPART_ZONEID) == nil else { throw .unreadable }
        guard let port = part(CURLUPART_PORT), port != "0" else { throw .noPort }
        guard !rules.contains(.folder) || !text.contains("?") && !text.contains("#") else { throw .hasQuery }
        (self.scheme, self.host, self.port) = (scheme, host.lowercased(), port)
        let query = part(CURLUPART_QUERY) ?? ""
        rest = path + (query.isEmpty ? "" : "?" + query)
        guard rules.contains(.plain) else { return }
        // Newer versions of libcurl treat encoded dots as dots, so check for these, too.
        let steps = path.lowercased().replacing("%2e", with: ".").split(separator: "/")
        guard !steps.contains("."), !steps.contains("..") else { throw .notPlain }
        guard text.utf8.allSatisfy(Self.isPlain) else { throw .notPlain }
        guard [text, text + "/"].contains(where: { isWritten($0, from: base) }) else { throw .unusual }
    }

    /// Whether `text` is this address as written: only the case of letters and the scheme's default port may differ.
    private func isWritten(_ text: String, from base: WebAddress?) -> Bool {
        let origins = [origin, "\(scheme)://\(host):\(port)"] + (base?.origin == origin ? [""] : [])
        return origins.contains { text.lowercased() == ($0 + rest).lowercased() }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        let sign = Character(UnicodeScalar(byte))
        return sign.isASCII && (sign.isLetter || sign.isNumber || "-._~:/?[]@!$&()*+,;=%".contains(sign))
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = part == CURLUPART_PORT ? UInt32(CURLU_DEFAULT_PORT) : 0
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// The origin that credentials belong to, without the scheme's default port.
    public var origin: String {
        "\(scheme)://\(host)" + (["https": "443", "http": "80"][scheme] == port ? "" : ":\(port)")
    }

    public var text: String { origin + rest }

    /// The address without slashes at its end, so that paths can be appended.
    public var folder: String {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Whether the host is this machine: a loopback IP address, or `localhost`, the only name that libcurl never looks up.
    public var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// A text encoded as one part of a path or query, which it can neither end nor leave; `nil` if that is impossible.
    public static func encoded(_ text: String) -> String? {
        // Even percent-encoded, `.` and `..` would still mean this folder and its parent in a path.
        text.isEmpty || text == "." || text == ".." ? nil : text.percentEncoded
    }
}
