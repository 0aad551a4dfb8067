/// One complete request, whose body has arrived.
public struct WebRequest: Sendable {
    /// The method as sent, in capitals.
    public let method: String
    /// The path without the query, percent-decoded once. It has no `.` or `..` segment.
    public let path: String
    /// The query's parameters in the order sent, decoded; a name may occur more than once.
    public let query: [(name: String, value: String)]
    /// The header lines in the order sent.
    public private(set) var headers: [(name: String, value: String)]
    public internal(set) var body: [UInt8] = []
    /// The client's address; `nil` on a Unix socket.
    public internal(set) var peer: IPAddress?

    /// The path's segments, without empty ones.
    public var segments: [String] { path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

    public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The first value of a header. The case of its name does not matter.
    public func header(_ name: String) -> String? { headers.first { Self.isSame($0.name, name) }?.value }

    public func values(ofHeader name: String) -> [String] { headers.filter { Self.isSame($0.name, name) }.map(\.value) }

    /// Returns whether two header names are equal, ignoring the case of ASCII letters.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || small($0) == small($1) }
    }

    private static func small(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }

    public func without(header name: String) -> WebRequest {
        var request = self
        request.headers.removeAll { Self.isSame($0.name, name) }
        return request
    }
}

/// Decides which requests are answered without calling the handler.
struct RequestRules: Sendable {
    /// The accepted values of `Host`, in lower case; `nil` accepts any.
    let hosts: Set<String>?

    /// Hosts without a port are completed with the server's `port`. If the port is 80, these hosts are accepted without it, too.
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
        let (lengths, codings) = (request.values(ofHeader: "Content-Length"), request.values(ofHeader: "Transfer-Encoding"))
        guard lengths.count + codings.count <= 1, lengths.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }) else {
            // Close the connection, since it is unclear where the next request begins.
            var reply = WebReply.text(status: 400, "The body must have one length.\n")
            reply.headers.append(("Connection", "close"))
            return reply
        }
        if let length = lengths.first, Int(length) ?? .max > bodyLimit { return tooLarge(limit: bodyLimit) }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    func tooLarge(limit: Int) -> WebReply { .text(status: 413, "The request's body is larger than \(limit) bytes.\n") }

    /// Returns whether a segment of the path is `.` or `..`.
    private static func hasSegmentOfDots(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } }
    }

    /// Returns whether a request's target has no encoded zero byte, which would end a C string and so hide everything after it.
    static func isPlain(_ target: UnsafePointer<CChar>) -> Bool {
        var place = target
        while place[0] != 0 {
            if place[0] == 0x25, place[1] == 0x30, place[2] == 0x30 { return false }
            place += 1
        }
        return true
    }
}
