import Glibc
import LocalHTTP
import Platform

/// One persistent connection to a server on this machine, with as little client code as possible, so that the server is what is measured.
///
/// It blocks while it waits, so the thread that uses it can do nothing else.
final class WebConnection {
    let socket: Descriptor
    private(set) var status = 0
    private(set) var head = ""
    /// The body of the last answer, if it was to be kept.
    private(set) var body: [UInt8] = []
    private var start: [UInt8] = []
    /// How many bytes of the body have not arrived yet; `nil` until the head is complete.
    private var rest: Int?
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Connects to a port of 127.0.0.1.
    init(port: UInt16) throws(SystemError) {
        socket = Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemError("connect") }
        var one: Int32 = 1
        setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects to a socket in the file system.
    init(unixSocket path: String) throws(SystemError) {
        socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        guard UnixAddress(path)?.connect(socket.number) == true else { throw SystemError("connect", path: path) }
    }

    /// A port that nobody listens on, from numbers that no outgoing connection has.
    static func freePort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<30_000)
            if (try? WebConnection(port: port)) == nil { return port }
        }
    }

    /// A request to a port of this machine.
    static func request(
        _ target: String, at port: UInt16, method: String = "GET", _ headers: [String] = [], body: String = ""
    ) -> [UInt8] {
        let length = method == "GET" ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers + length
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// Sends a complete request.
    func send(_ request: [UInt8]) throws(SystemError) {
        start = []
        body = []
        rest = nil
        // A request is far smaller than what the kernel takes at once.
        guard Glibc.send(socket.number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw SystemError("send a request")
        }
    }

    /// Waits for more of the answer and takes it; `true` once the answer is complete.
    func receive(keepsBody: Bool) throws -> Bool {
        let count = recv(socket.number, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchmarkFailure("a server ended a connection in the middle of an answer") }
        if let rest {
            if keepsBody { body += buffer[..<count] }
            self.rest = rest - count
        } else {
            start += buffer[..<count]
            guard let end = start.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return false }
            head = String(decoding: start[..<end], as: UTF8.self)
            status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            guard let length = header("content-length").flatMap({ Int($0) }) else {
                throw BenchmarkFailure("a server does not tell how long its answer is:\n\(head)")
            }
            if keepsBody { body = Array(start[end...]) }
            rest = length - (start.count - end)
        }
        return rest == 0
    }

    /// Sends a request, and waits for the complete answer; `nil` expects any status.
    @discardableResult
    func ask(_ request: [UInt8], expecting expected: Int? = 200) throws -> [UInt8] {
        try send(request)
        while try !receive(keepsBody: true) {}
        guard expected == nil || expected == status else {
            let asked = String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            throw BenchmarkFailure("'\(asked)' is answered \(status): \(String(decoding: body.prefix(2000), as: UTF8.self))")
        }
        return body
    }

    /// The value of a header of the last answer, by its name in lower case.
    func header(_ name: String) -> String? {
        let line = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}

/// How often per second one resource can be fetched from a server, over persistent connections.
struct RequestRate {
    private let connections: [WebConnection]
    private let request: [UInt8]

    /// Connects, and asks once; the answer must have this size.
    init(port: UInt16, connections count: Int, request: [UInt8], size: Int) throws {
        connections = try (0..<count).map { _ in try WebConnection(port: port) }
        self.request = request
        for connection in connections {
            let body = try connection.ask(request)
            guard body.count == size else { throw BenchmarkFailure("\(body.count) bytes came instead of \(size):\n\(connection.head)") }
        }
    }

    /// Asks on every connection for this long, on each again as soon as its answer has arrived.
    func perSecond(for milliseconds: Double) throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        var answers = 0
        for connection in connections { try connection.send(request) }
        var waits = connections.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
        var underWay = connections.count
        while underWay > 0 {
            poll(&waits, nfds_t(waits.count), -1)
            for place in waits.indices where waits[place].revents != 0 {
                guard try connections[place].receive(keepsBody: false) else { continue }
                answers += 1
                guard connections[place].status == 200 else { throw BenchmarkFailure("an answer is \(connections[place].status)") }
                if ProcessFigures.wallMilliseconds - start < milliseconds {
                    try connections[place].send(request)
                } else {
                    waits[place].fd = -1
                    underWay -= 1
                }
            }
        }
        return Double(answers) / (ProcessFigures.wallMilliseconds - start) * 1000
    }
}
