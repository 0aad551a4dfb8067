import Glibc

/// What the environment says about a proxy, read as libcurl reads it.
package struct Proxy: Hashable, Sendable {
    /// The variable that names it.
    package let variable: String
    /// Its host and port, without a password.
    package let host: String

    /// The proxy that requests with this scheme go through, apart from the hosts in `no_proxy`; `nil` if there is none.
    package init?(for scheme: String, in environment: (String) -> String? = Self.ofProcess) {
        guard !["no_proxy", "NO_PROXY"].contains(where: { environment($0) == "*" }) else { return nil }
        // HTTP_PROXY in capitals is not read: in a web server, a stranger's request header can set it.
        let names = scheme == "http" ? ["http_proxy", "all_proxy", "ALL_PROXY"] : ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment($0)?.isEmpty == false }), let address = environment(name) else { return nil }
        variable = name
        let place = address.split(separator: "/", omittingEmptySubsequences: true).first { !$0.hasSuffix(":") } ?? ""
        host = String(place.split(separator: "@").last ?? "")
    }

    /// In words, to be put behind "through".
    package var words: String { "the proxy \(host) that the environment variable \(variable) names" }

    package static func ofProcess(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
