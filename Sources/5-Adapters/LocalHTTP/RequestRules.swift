/// Decides what is answered without calling the handler.
struct RequestRules: Sendable {
    /// What `Host` may be, in lower case; `nil` if it does not matter.
    let hosts: Set<String>?

    /// Hosts without a port get the server's.
    init(hosts: [String]?, port: UInt16) {
        self.hosts = hosts.map { hosts in
            Set(
                hosts.flatMap { host in
                    // The colons of an IPv6 address are inside brackets.
                    let rest = host.hasPrefix("[") ? host.drop { $0 != "]" } : host[...]
                    return rest.contains(":") ? [host] : ["\(host):\(port)"] + (port == 80 ? [host] : [])
                }.map { $0.lowercased() })
        }
    }

    func refusal(_ request: WebRequest, bodyLimit: Int) -> WebReply? {
        let named = request.values(ofHeader: "Host")
        guard named.count <= 1 else { return .text(status: 400, "More than one host.\n") }
        if let hosts, !hosts.contains((named.first ?? "").lowercased()) {
            return .text(status: 403, "This server answers only to its own names.\n")
        }
        guard request.path.utf8.first == UInt8(ascii: "/"), !Self.hasSegmentOfDots(request.path) else {
            return .text(status: 400, "Not a plain path.\n")
        }
        if let length = request.header("Content-Length").flatMap({ Int($0) }), length > bodyLimit { return tooLarge(limit: bodyLimit) }
        return nil
    }

    func tooLarge(limit: Int) -> WebReply {
        .text(status: 413, "The request's body is larger than \(limit) bytes.\n")
    }

    /// Whether a segment of the path is `.` or `..`.
    private static func hasSegmentOfDots(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } }
    }

    /// Whether a request's target has no encoded zero byte: it would end a C string, so anything after it would go unseen.
    static func isPlain(_ target: UnsafePointer<CChar>) -> Bool {
        var place = target
        while place[0] != 0 {
            if place[0] == 0x25, place[1] == 0x30, place[2] == 0x30 { return false }
            place += 1
        }
        return true
    }
}
