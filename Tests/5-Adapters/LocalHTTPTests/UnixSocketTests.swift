import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import LocalHTTP

@Suite(.timeLimit(.minutes(5)))
struct UnixSocketTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path("control") }

    private func server(owner: UInt32 = geteuid()) throws -> WebServer {
        try WebServer(listening: .unixSocket(path: path, owner: owner)) { .text($0.path) }
    }

    @Test func answersWhateverTheHost() throws {
        let server = try server()
        #expect(server.port == 0)
        let client = try RawClient(path: path)
        client.send("GET /one HTTP/1.1\r\nHost: anything\r\n\r\n")
        #expect(client.answer()?.body == "/one")
        client.send("GET /two HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.answer()?.body == "/two")
    }

    @Test func socketIsItsOwnersAlone() throws {
        let server = try server()
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        server.stop()
        #expect(lstat(path, &status) != 0, "nothing is left of it")
    }

    @Test func processesOfOthersAreTurnedAway() throws {
        let server = try server(owner: geteuid() + 1)
        let client = try RawClient(path: path)
        client.send("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.answer() == nil)
        server.stop()
    }

    @Test func socketOfADeadServerIsReplaced() throws {
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(UnixAddress(path)?.call(Glibc.bind, dead) == 0)
        close(dead)
        let server = try server()
        let client = try RawClient(path: path)
        client.send("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.answer()?.body == "/one")
        server.stop()
    }

    @Test func livingServerIsLeftAlone() throws {
        let first = try server()
        #expect(throws: Trouble("\(SystemError("listen at", path: path, code: EADDRINUSE))")) { _ = try server() }
        let client = try RawClient(path: path)
        client.send("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.answer()?.body == "/one")
        first.stop()
    }

    @Test func fileThatIsNoSocketIsLeftAlone() throws {
        try AtomicFile.write("mine", to: path)
        #expect(throws: Trouble("\(SystemError("listen at", path: path, code: EEXIST))")) { _ = try server() }
        #expect(try AtomicFile.read(path, limit: 100) == Array("mine".utf8))
    }

    @Test func pathThatIsTooLongIsReported() throws {
        let long = folder.path(String(repeating: "x", count: 120))
        let error = #expect(throws: Trouble.self) {
            _ = try WebServer(listening: .unixSocket(path: long)) { _ in .text("") }
        }
        #expect(error?.description == "the path of a socket may have at most 107 bytes, but \(long) has \(long.utf8.count)")
    }

    @Test func longestPathIsFine() throws {
        let long = folder.path("") + String(repeating: "x", count: UnixAddress.longestPath - folder.path("").utf8.count)
        let server = try WebServer(listening: .unixSocket(path: long)) { .text($0.path) }
        let client = try RawClient(path: long)
        client.send("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.answer()?.body == "/one")
        server.stop()
    }
}
