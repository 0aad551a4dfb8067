import Glibc
import LocalHTTP
import Platform

@testable import Viewer

/// A server that receives arbitrary bytes, since anybody who reaches its port may send them.
enum Requests {
    private static let longestBody = 4096

    private static let path: String = {
        var name = Array("/tmp/woodshed-fuzz-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil)
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/socket"
    }()

    private static let server = try? WebServer(
        // Most cases are incomplete requests, so each waits for the time limit of 20 ms.
        listening: .unixSocket(path: path), limits: WebLimits(connectionMemory: 32 << 10, body: longestBody, arrival: .milliseconds(20))
    ) { request in
        check(request)
        return .text("fine")
    }

    /// Sends the bytes, and reads until the server closes the connection. The server must not wait for more bytes.
    static func take(_ bytes: [UInt8]) {
        precondition(server != nil)
        let client = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        precondition(UnixAddress(path)?.connect(client.number) == true)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(client.number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(client.number, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            // After a refusal, the server need not read the rest.
            guard count > 0 else { break }
            sent += count
        }
        shutdown(client.number, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(client.number, &chunk, chunk.count, 0)
            // libFuzzer checks its clock in a signal handler, and the signal can interrupt the read.
            if count < 0, errno == EINTR { continue }
            precondition(count >= 0 || errno == ECONNRESET, "it waits")
            guard count > 0 else { break }
            answer += chunk[..<count]
        }
        precondition(answer.isEmpty || answer.starts(with: "HTTP/1.".utf8))
    }

    /// Checks that a request that reaches a handler is unambiguous, and that each of its fields can be read.
    private static func check(_ request: WebRequest) {
        precondition(request.path.utf8.first == UInt8(ascii: "/") && !request.path.utf8.contains(0))
        precondition(request.segments.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." })
        precondition(request.values(ofHeader: "Host").count <= 1 && request.body.count <= longestBody)
        precondition(request.values(ofHeader: "Content-Length").count + request.values(ofHeader: "Transfer-Encoding").count <= 1)
        for (name, value) in request.query { precondition(request.parameter(name) != nil || value.isEmpty) }
        for (name, _) in request.headers { precondition(!request.values(ofHeader: name).isEmpty) }
        _ = BrowserAccess.isFromElsewhere(request)
        _ = BrowserAccess.isOfThisMachine(host: request.header("Host") ?? "", peer: .loopback)
        _ = ViewerChange(request)
    }
}
