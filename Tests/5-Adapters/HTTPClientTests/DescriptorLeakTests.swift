import Glibc
import HTTPClient
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct DescriptorLeakTests {
    /// Counts only connections to one port, because other tests run at the same time.
    private func clientSockets(to port: UInt16) throws -> Int {
        try Folder.names(in: "/proc/self/fd").compactMap { Int32($0) }.filter { number in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &length) }
            }
            return code == 0 && address.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: address.sin_port) == port
        }.count
    }

    @Test @LoopActor func closeLeavesNoConnectionOpen() async throws {
        let server = RawServer { request in
            request.path == "/silent" ? [.waitForClose] : [.reply("200 OK", "x")]
        }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        let tasks = (0..<4).map { _ in spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/"))) } }
        for task in tasks { _ = try await task.value }
        let silent = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/silent"), timeout: .milliseconds(100))) }
        await #expect(throws: HTTPFailure.self) { try await silent.value }
        _ = try await transport.send(HTTPRequest(.get, server.url("/")))
        #expect(try clientSockets(to: server.port) > 0)
        transport.close()
        #expect(try clientSockets(to: server.port) == 0)
    }
}
