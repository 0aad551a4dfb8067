import Glibc
import LocalHTTP
import Platform
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .needs(.realTime))
struct IdleThreadTests {
    @Test func threadSleepsWhileAConnectionIsIdle() throws {
        let thread = Mutex("")
        let server = try WebServer { _ in
            thread.withLock { $0 = Self.ownStatusPath() }
            return WebReply(body: [1])
        }
        let connection = try HTTPProbe.connect(port: server.port)
        defer { close(connection) }
        let text = "GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n"
        #expect(send(connection, text, text.utf8.count, 0) == text.utf8.count)
        var bytes = [UInt8](repeating: 0, count: 1000)
        #expect(recv(connection, &bytes, bytes.count, 0) > 0)

        let path = thread.withLock { $0 }
        let before = try switches(in: path)
        // The server sends nothing more, so this wait ends at its time limit.
        var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 400) == 0)
        // The end of the answer may still need a turn of the thread.
        #expect(try switches(in: path) - before <= 2)
        server.stop()
    }

    /// The kernel's status file for the calling thread.
    private static func ownStatusPath() -> String {
        var target = [UInt8](repeating: 0, count: 200)
        let count = target.withUnsafeMutableBytes { readlink("/proc/thread-self", $0.baseAddress!, $0.count) }
        return "/proc/" + String(decoding: target.prefix(max(0, count)), as: UTF8.self) + "/status"
    }

    private func switches(in path: String) throws -> Int {
        let text = String(decoding: try Descriptor.open(path, O_RDONLY).readAll(limit: 65536), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    }
}
