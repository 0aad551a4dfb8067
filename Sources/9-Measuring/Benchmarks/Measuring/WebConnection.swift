import Glibc
import LocalHTTP
import Platform

/// A persistent connection to a server on this machine, with minimal client code, so that the measurements show the server.
///
/// It blocks its thread while it waits.
final class WebConnection {
    let socket: Descriptor
    /// The head of the last response: everything before its body.
    private(set) var head = ""

    init(port: UInt16) throws(SystemError) {
        socket = Self.open(AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemError("connect", path: "127.0.0.1:\(port)") }
        var one: Int32 = 1
        setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    init(unixSocket path: String) throws(SystemError) {
        socket = Self.open(AF_UNIX)
        guard UnixAddress(path)?.connect(socket.number) == true else { throw SystemError("connect", path: path) }
    }

    private static func open(_ family: Int32) -> Descriptor {
        Descriptor(owning: Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    }

    /// A port at which no program listens, outside the range of outgoing connections.
    static func freePort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<30_000)
            if (try? WebConnection(port: port)) == nil { return port }
        }
    }

    static func request(_ method: String, _ target: String, host: String, _ headers: [String] = [], body: String = "") -> [UInt8] {
        let length = method == "GET" ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + headers + length
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    func send(_ request: [UInt8]) throws(SystemError) {
        // A request is far smaller than what the kernel accepts in one call.
        guard Glibc.send(socket.number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw SystemError("send a request")
        }
    }

    /// Waits for more of the response. Returns how many of its bytes are now in `buffer`.
    func receive(into buffer: inout [UInt8]) throws -> Int {
        let count = recv(socket.number, &buffer, buffer.count, 0)
        try require(count > 0, "a server ended a connection in the middle of an answer")
        return count
    }

    /// Sends a request, waits for the complete response, and returns its body. Throws if the status is not `expected`; nil accepts any.
    @discardableResult
    func ask(_ request: [UInt8], expecting expected: Int? = 200) throws -> [UInt8] {
        try send(request)
        var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 256 << 10))
        var body: Range<Int>?
        while body.map({ answer.count < $0.upperBound }) ?? true {
            let count = try receive(into: &buffer)
            answer += buffer[..<count]
            guard body == nil, let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { continue }
            head = String(decoding: answer[..<end], as: UTF8.self)
            body =
                end..<end + (try header("content-length").flatMap { Int($0) }.required("an answer does not say how long it is:\n\(head)"))
        }
        answer.removeFirst(body?.lowerBound ?? 0)
        let asked = String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        try require(
            expected.map { head.hasPrefix("HTTP/1.1 \($0) ") } ?? true,
            "'\(asked)' is answered \(head)\(String(decoding: answer.prefix(2000), as: UTF8.self))")
        return answer
    }

    /// The value of a header of the last response; `name` is in lower case.
    func header(_ name: String) -> String? {
        let line = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}

/// How often per second a server can deliver one resource, over persistent connections.
struct RequestRate {
    private let connections: [WebConnection]
    private let request: [UInt8]
    /// The size of a response with its head, which is the same each time.
    private let length: Int

    /// Connects, and sends one request on each connection. The response's body must have `size` bytes.
    init(port: UInt16, connections count: Int, request: [UInt8], size: Int) throws {
        connections = try (0..<count).map { _ in try WebConnection(port: port) }
        self.request = request
        for connection in connections {
            let body = try connection.ask(request)
            try require(body.count == size, "\(body.count) bytes came instead of \(size):\n\(connection.head)")
        }
        length = connections[0].head.utf8.count + size
    }

    /// Sends requests on every connection for this long, the next as soon as the response has arrived.
    func perSecond(for milliseconds: Double) throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        var answers = 0
        for connection in connections { try connection.send(request) }
        var waits = connections.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
        var missing = connections.map { _ in length }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while missing.contains(where: { $0 > 0 }) {
            poll(&waits, nfds_t(waits.count), -1)
            for place in waits.indices where waits[place].revents != 0 {
                let count = try connections[place].receive(into: &buffer)
                let isGood = missing[place] < length || buffer.starts(with: "HTTP/1.1 200 ".utf8)
                missing[place] -= count
                try require(isGood && missing[place] >= 0, "an answer is not like the first one")
                guard missing[place] == 0 else { continue }
                answers += 1
                if ProcessFigures.wallMilliseconds - start < milliseconds {
                    try connections[place].send(request)
                    missing[place] = length
                } else {
                    waits[place].fd = -1
                }
            }
        }
        return Double(answers) / (ProcessFigures.wallMilliseconds - start) * 1000
    }
}
