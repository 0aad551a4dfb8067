import Glibc

/// What the environment says of a proxy, read as libcurl reads it.
enum Proxy {
    /// Whether requests with this scheme go through a proxy, but for the hosts that `no_proxy` names.
    static func isNamed(for scheme: String, in environment: (String) -> String? = Self.variable) -> Bool {
        guard !["no_proxy", "NO_PROXY"].contains(where: { environment($0) == "*" }) else { return false }
        // HTTP_PROXY in capitals is not read: a web server sets that one from a stranger's header.
        let names = scheme == "http" ? ["http_proxy", "all_proxy", "ALL_PROXY"] : ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { environment($0)?.isEmpty == false }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
