import Glibc

/// A minimal blocking HTTP/1.1 client that shows the responses of local servers.
///
/// It shares nothing with the product's client. Every request uses a new connection.
public enum HTTPProbe {
    /// A response, as received.
    public struct Reply: Sendable {
        public let status: Int
        /// Headers by lower-case name. A repeated header has its last value.
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Why no response was received.
    public enum Failure: Error {
        case badAddress(String)
        case cannotConnect(errno: Int32)
        /// The connection ended, or nothing arrived for ten seconds, before the response was complete.
        case cutOff
    }

    /// Sends one request to `http://address:port/…`, where `address` is an IPv4 address, and returns the response. Adds `Host` unless
    /// `headers` has it.
    public static func send(
        _ method: String = "GET", _ url: String, headers: [(String, String)] = [], body: [UInt8] = [], from source: String? = nil
    ) throws -> Reply {
        let (address, port, target) = try split(url)
        var text = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { text += "Host: \(address):\(port)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" || method == "PUT" { text += "Content-Length: \(body.count)\r\n" }
        return try exchange(
            at: address, from: source, port: port, bytes: Array((text + "\r\n").utf8) + body, hasBody: method != "HEAD")
    }

    /// Sends bytes unchanged and reads one response.
    public static func exchange(
        at address: String = "127.0.0.1", from source: String? = nil, port: UInt16, bytes: [UInt8], hasBody: Bool = true
    ) throws -> Reply {
        let socket = try connect(to: address, from: source, port: port)
        defer { close(socket) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            // A server that refuses early may close before it has read everything. Its response can still be read.
            guard count > 0 else { break }
            sent += count
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            received += chunk[..<count]
        }
        return try parse(received, hasBody: hasBody)
    }

    /// A connected socket for tests that keep one open. The caller closes it.
    ///
    /// The connection comes from `source`, any address of this machine.
    public static func connect(to host: String = "127.0.0.1", from source: String? = nil, port: UInt16) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            guard inet_pton(AF_INET, source, &own.sin_addr) == 1 else { throw Failure.badAddress(source) }
            _ = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            close(socket)
            throw Failure.badAddress(host)
        }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let reason = errno
            close(socket)
            throw Failure.cannotConnect(errno: reason)
        }
        return socket
    }

    private static func split(_ url: String) throws -> (address: String, port: UInt16, target: String) {
        let prefix = "http://"
        guard url.hasPrefix(prefix), let colon = url.dropFirst(prefix.count).firstIndex(of: ":") else { throw Failure.badAddress(url) }
        let address = String(url[..<colon].dropFirst(prefix.count))
        let rest = url[url.index(after: colon)...]
        let digits = rest.prefix { $0.isNumber }
        guard let port = UInt16(digits) else { throw Failure.badAddress(url) }
        let target = rest.dropFirst(digits.count)
        return (address, port, target.isEmpty ? "/" : String(target))
    }

    private static func parse(_ bytes: [UInt8], hasBody: Bool) throws -> Reply {
        let gap = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: gap) }) else { throw Failure.cutOff }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { throw Failure.cutOff }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        let body = Array(bytes[(end + gap.count)...])
        if hasBody, let length = headers["content-length"].flatMap({ Int($0) }), body.count != length { throw Failure.cutOff }
        return Reply(status: status, headers: headers, body: body)
    }
}
