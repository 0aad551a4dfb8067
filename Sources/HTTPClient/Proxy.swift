import Glibc

/// What the environment says about a proxy, read as libcurl reads it.
enum Proxy {
    /// Whether requests with this scheme go through a proxy, apart from the hosts in `no_proxy`.
    static func isNamed(for scheme: String, in environment: (String) -> String? = Self.variable) -> Bool {
        guard !["no_proxy", "NO_PROXY"].contains(where: { environment($0) == "*" }) else { return false }
        // HTTP_PROXY in capitals is not read: in a web server, a stranger's request header can set it.
        let names = scheme == "http" ? ["http_proxy", "all_proxy", "ALL_PROXY"] : ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { environment($0)?.isEmpty == false }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
