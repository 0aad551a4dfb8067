import Glibc
import Platform
import TestSupport
import Testing

/// What the servers promise to tests of carriers: each keeps the files sent to it, admits nobody else, and is as durable as its disk.
@Suite(.onLoop, .needs(.otherPrograms))
struct StorageServerTests {
    @Test(.whereInstalled(.apache)) @LoopActor func apacheKeepsFiles() async throws { try await keepsFiles(.apache) }
    @Test(.whereInstalled(.lighttpd)) @LoopActor func lighttpdKeepsFiles() async throws { try await keepsFiles(.lighttpd) }
    @Test(.whereInstalled(.nginx)) @LoopActor func nginxKeepsFiles() async throws { try await keepsFiles(.nginx) }
    @Test(.whereInstalled(.wsgidav)) @LoopActor func wsgidavKeepsFiles() async throws { try await keepsFiles(.wsgidav) }
    @Test(.whereInstalled(.rcloneWebDAV)) @LoopActor func rcloneKeepsFilesOverWebDAV() async throws { try await keepsFiles(.rcloneWebDAV) }
    @Test(.whereInstalled(.rcloneS3)) @LoopActor func rcloneKeepsFilesOverS3() async throws { try await keepsFiles(.rcloneS3) }
    @Test(.whereInstalled(.seaweedfs)) @LoopActor func seaweedKeepsFiles() async throws { try await keepsFiles(.seaweedfs) }

    @LoopActor private func keepsFiles(_ kind: StorageServer.Kind) async throws {
        let server = try await StorageServer.start(kind)
        let (first, second) = (Array("first\n".utf8), Array("second, and longer\n".utf8))
        #expect(try await server.ask("GET", "part.txt").status == 404)
        try await put(first, on: server)

        for (method, body) in [("GET", nil), ("PUT", second)] {
            let refused = try await server.ask(method, "part.txt", body: body, password: "guessed")
            #expect([401, 403].contains(refused.status), "\(method): \(refused.status)")
        }
        #expect(try await server.ask("GET", "part.txt").body == first)
        if let folder = server.folder { #expect(try AtomicFile.read(folder + "/part.txt", limit: 100) == first) }

        await server.kill()
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.send("GET", server.address) }
        let copy = try await server.copy()
        try await server.restart()
        #expect(try await server.ask("GET", "part.txt").body == first)

        await server.stop()
        try await server.empty()
        try await server.restart()
        #expect(try await server.ask("GET", "part.txt").status == 404)
        try await put(second, on: server)
        try await server.putBack(copy)
        #expect(try await server.ask("GET", "part.txt").body == first)
        try await put(second, on: server)
        #expect(try await server.ask("GET", "part.txt").body == second)
    }

    @LoopActor private func put(_ bytes: [UInt8], on server: StorageServer) async throws {
        let answer = try await server.ask("PUT", "part.txt", body: bytes)
        #expect([200, 201, 204].contains(answer.status), "\(answer.status): \(answer.text)")
    }
}
