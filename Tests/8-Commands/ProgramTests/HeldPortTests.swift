import Glibc
import LocalHTTP
import Platform
import StandInSupport
import TestSupport
import Testing

/// While no agent runs, no other program can take the port of the pages, however the last agent ended.
@Suite(.onLoop)
struct HeldPortTests {
    /// A port below those that the system assigns by itself.
    private let port = UInt16.random(in: 12_000...30_000)

    @LoopActor private func agent(_ place: Place) async throws -> Program {
        let agent = try Program(
            "woodshed", ["agent", "--home", place.home.path], environment: ["WOODSHED_VIEWER_PORT=\(port)"])
        // When this message appears, the agent has already recorded which process holds the port.
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(port)/").status == 403)
        return agent
    }

    /// Whether another program could listen at the port, and would get the agent's requests.
    private func isFree() -> Bool {
        let other = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var value: Int32 = 1
        setsockopt(other.number, SOL_SOCKET, SO_REUSEADDR, &value, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(other.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        return code == 0 && listen(other.number, 1) == 0
    }

    @Test(arguments: [SIGTERM, SIGKILL]) @LoopActor func nobodyElseTakesIt(signal: Int32) async throws {
        let place = try Place()
        defer { place.service.stop() }
        for _ in 1...2 {
            let agent = try await agent(place)
            agent.child.kill(signal)
            _ = try await agent.result()
            // A browser's connection is refused, as if no program held the port.
            try await waitUntil { (try? HTTPProbe.send("GET", "http://127.0.0.1:\(port)/")) == nil }
            #expect(!isFree())
        }
    }

    /// An agent killed while it takes over the port leaves the port with its holder; a holder that is killed is replaced.
    @Test @LoopActor func nothingThatEndsTooEarlyLosesIt() async throws {
        let place = try Place()
        defer { place.service.stop() }
        let first = try await agent(place)
        let runtime = place.home.path("runtime")
        func holders() throws -> [pid_t] {
            try Folder.names(in: "/proc").compactMap { pid_t($0) }.filter { process in
                guard let file = try? Descriptor.openFile("/proc/\(process)/cmdline"),
                    let words = try? file.readAll(limit: 4096, path: "cmdline")
                else { return false }
                return String(decoding: words, as: UTF8.self).contains("--hold-ports\0\(runtime)/")
            }
        }
        let former = try holders()
        #expect(former.count == 1 && kill(former[0], SIGKILL) == 0)
        // A killed process loses its command line before its sockets: with two looks, the former holder could count as there and as replaced.
        try await waitUntil {
            let present = try holders()
            return !present.isEmpty && present != former
        }
        let name = try #require(try Folder.names(in: runtime).first { $0.hasPrefix("ports-") })
        func isAnswered() -> Bool {
            let follower = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0))
            return UnixAddress(runtime + "/" + name)?.connect(follower.number) == true
        }
        // The new holder listens at its socket in the runtime folder once it has both ports.
        try await waitUntil { isAnswered() }
        first.child.kill(SIGKILL)
        let said = try await first.result().messages
        #expect(isAnswered() && isAnswered(), "\(said)")
        try await waitUntil { (try? HTTPProbe.send("GET", "http://127.0.0.1:\(port)/")) == nil }
        #expect(!isFree())
        let next = try await agent(place)
        next.child.kill(SIGTERM)
        _ = try await next.result()
    }

    /// A service manager that keeps sockets, as systemd does, holds the port, too.
    @Test @LoopActor func aServiceManagerKeepsItToo() async throws {
        let place = try Place()
        defer { place.service.stop() }
        let manager = try NotifySocket(place.home.path("notify"))
        let environment = [
            "WOODSHED_VIEWER_PORT=\(port)", "NOTIFY_SOCKET=" + place.home.path("notify"), "LISTEN_FDS=2",
            "LISTEN_FDNAMES=woodshed-ports:woodshed-ports",
        ]
        for turn in 1...2 {
            // LISTEN_PID must be the agent's own process number, which only the shell that becomes the agent has.
            let line = (manager.kept.isEmpty ? "" : "LISTEN_PID=$$ ") + "exec \(Program.folder)/woodshed agent --home \(place.home.path)"
            let agent = try Program("/bin/sh", ["-c", line], environment: environment, passing: manager.kept)
            try await waitUntil {
                while manager.next() != nil {}
                return (try? HTTPProbe.send("GET", "http://127.0.0.1:\(port)/"))?.status == 403 && manager.kept.count == 2
            }
            agent.child.kill(SIGTERM)
            let result = try await agent.result()
            #expect(result.exit == .code(0), "\(turn): \(result)")
            #expect(!isFree())
        }
    }
}
