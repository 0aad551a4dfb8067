import Glibc
import LocalHTTP
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServedFileTests {
    private let folder = TemporaryFolder()
    private let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private func server(size: Int) throws -> WebServer {
        let path = folder.path("page")
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        return try WebServer { _ in
            guard let file = try? Descriptor.open(path, O_RDONLY) else { return .text(status: 404, "") }
            return .file(file, size: size, headers: [("Content-Type", "image/png")])
        }
    }

    @Test func fileArrivesWholeAndIsClosed() throws {
        let server = try server(size: bytes.count)
        let url = "http://127.0.0.1:\(server.port)/"
        for _ in 0..<5 {
            let reply = try HTTPProbe.send("GET", url)
            #expect(reply.headers["content-type"] == "image/png")
            #expect(reply.body == bytes)
        }
        let head = try HTTPProbe.send("HEAD", url)
        #expect(head.headers["content-length"] == "3000000")
        #expect(head.body.isEmpty)
        server.stop()
        let open = try Folder.names(in: "/proc/self/fd").filter { number in
            var target = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/" + number, &target, target.count - 1)
            return count > 0 && String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == folder.path("page")
        }
        #expect(open.isEmpty)
    }

    @Test func clientThatLeavesInTheMidstHarmsNobody() throws {
        let server = try server(size: bytes.count)
        for _ in 0..<20 {
            let client = try RawClient(server)
            client.ask("/", server)
            _ = client.read(until: "\r\n\r\n")
        }
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").body == bytes)
    }

    /// Somebody cut the file off after its size was read.
    @Test func fileThatIsShorterThanStatedIsNotSent() throws {
        let server = try server(size: bytes.count + 10)
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").status == 500)
    }
}
