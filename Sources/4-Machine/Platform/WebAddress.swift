import CCurl
import Model

/// An http or https address as libcurl itself reads it. There is no other reading, so what is secret goes to one origin only.
public struct WebAddress: Hashable, Sendable {
    public let scheme: String
    /// A name in lower case, or an IP address in its usual form; IPv6 in brackets.
    public let host: String
    public let port: String
    /// The path and the query, beginning with a slash.
    public let rest: String

    /// What is refused, or mended, beside what libcurl refuses.
    public struct Rules: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Refuses whatever libcurl reads otherwise than it is written, and characters that have a meaning in a terminal or a page: nobody
        /// can take the address for another one.
        public static let plain = Rules(rawValue: 1)
        /// Refuses a query and a fragment: the address is continued with paths.
        public static let folder = Rules(rawValue: 2)
        /// Encodes blanks and letters beyond ASCII, as servers that redirect expect.
        public static let encoded = Rules(rawValue: 4)
    }

    /// Why an address is not used. Nothing of it is repeated: a password may be in it.
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

    /// Reads an address, which may be relative to `base`.
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
        // Newer versions of libcurl read encoded dots as dots.
        let steps = path.lowercased().replacing("%2e", with: ".").split(separator: "/")
        guard !steps.contains("."), !steps.contains("..") else { throw .notPlain }
        guard text.utf8.allSatisfy(Self.isPlain) else { throw .notPlain }
        guard [text, text + "/"].contains(where: { isWritten($0, from: base) }) else { throw .unusual }
    }

    /// Whether `text` means this address without being rewritten: only the case of letters and the scheme's usual port may differ.
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

    /// What credentials belong to: without the scheme's usual port.
    public var origin: String {
        "\(scheme)://\(host)" + (["https": "443", "http": "80"][scheme] == port ? "" : ":\(port)")
    }

    public var text: String { origin + rest }

    /// Without slashes at its end, for paths to be added to it.
    public var folder: String {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// True if the host is this machine, as an IP address or as the one name for which libcurl never asks a name server.
    public var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// A part of a path or query, encoded so that nothing in it can end it or lead out of it; `nil` if that is impossible.
    public static func encoded(_ text: String) -> String? {
        // Dots keep their meaning even when they are encoded.
        text.isEmpty || text == "." || text == ".." ? nil : text.percentEncoded
    }
}
