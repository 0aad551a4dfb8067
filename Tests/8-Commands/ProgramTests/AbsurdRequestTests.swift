import Glibc
import Platform
import TestSupport
import Testing

/// Any process of the same user may send requests to the socket of the agent, as built; no number in one may end the agent.
@Suite(.onLoop)
struct AbsurdRequestTests {
    private static let numbers = [
        "-9223372036854775808", "-9223372036854775807", "-1", "0", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        "1e309", "NaN", "x", "", "%00", "٣",
    ]

    @Test @LoopActor func noNumberEndsTheAgent() async throws {
        let place = try Place()
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let runtime = place.home.path("runtime")
        let socket = runtime + "/" + (try #require(try Folder.names(in: runtime).first { $0.hasPrefix("control-") }))
        for number in Self.numbers {
            for path in ["pause?for=", "select?chart=79073904&page=", "select?chart=none&plain=1&page="] {
                let status = try await Self.ask(socket, "POST /v1/" + path + number)
                #expect([200, 400, 404].contains(status), "\(path)\(number): \(status)")
            }
            #expect(try await Self.ask(socket, "POST /v1/resume") == 200)
        }
        #expect(try await Self.ask(socket, "POST /v1/select?chart=79073904&page=-9223372036854775808") == 400)
        #expect(try await Self.ask(socket, "GET /v1/live") == 200)
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    /// Sends a request of one line and returns the status, or 0 without an answer.
    private static func ask(_ path: String, _ request: String) async throws -> Int {
        let text = request + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        return try await SideThread().run {
            let socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let code = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard code == 0 else { throw SystemError("connect", path: path) }
            try Array(text.utf8).withUnsafeBytes { try socket.write($0) }
            let answer = String(decoding: try socket.readAll(limit: 1 << 20), as: UTF8.self)
            return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }
}
