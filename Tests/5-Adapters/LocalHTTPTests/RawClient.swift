import Glibc
import LocalHTTP
import TestSupport

/// A client that can send any bytes, including requests that no proper client would send.
final class RawClient {
    let socket: Int32
    private var isClosed = false

    init(_ server: WebServer, from source: String? = nil) throws {
        socket = try HTTPProbe.connect(from: source, port: server.port)
    }

    init(path: String) throws {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard UnixAddress(path)?.connect(socket) == true else {
            let code = errno
            Glibc.close(socket)
            throw HTTPProbe.Failure.cannotConnect(errno: code)
        }
        self.socket = socket
    }

    deinit {
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(socket)
    }

    /// Sends a whole text; returns `false` if the server has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count
    }

    /// Requests a path in proper HTTP/1.1.
    func ask(_ path: String, _ server: WebServer, method: String = "GET") {
        send("\(method) \(path) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n")
    }

    /// Reads until the bytes end with `end`, or the connection ends.
    func read(until end: String) -> String {
        var all: [UInt8] = []
        var byte: UInt8 = 0
        while !all.suffix(end.utf8.count).elementsEqual(end.utf8), recv(socket, &byte, 1, 0) == 1 { all.append(byte) }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads one answer with a `Content-Length`; `nil` when the connection ended without one.
    func answer() -> (head: String, body: String)? {
        let head = read(until: "\r\n\r\n")
        guard let place = head.firstRange(of: "Content-Length: ") else { return nil }
        guard var count = Int(head[place.upperBound...].prefix { $0.isNumber }) else { return nil }
        var body: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while count > 0 {
            let part = recv(socket, &chunk, min(chunk.count, count), 0)
            guard part > 0 else { return nil }
            body += chunk[..<part]
            count -= part
        }
        return (head, String(decoding: body, as: UTF8.self))
    }

    /// Whether the server closes the connection within ten seconds; any bytes before that are ignored.
    var isCut: Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count == 0 { return true }
            if count < 0 { return errno == ECONNRESET || errno == EPIPE }
        }
    }
}
