import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// If a band's server accepts connections but never answers, no command waits for long, and all that need the server report it.
@Suite(.onLoop, .needs(.otherPrograms))
struct SilentServerTests {
    /// A port at which the kernel accepts connections that no program reads.
    private final class Silence {
        let port: UInt16
        private let socket: Int32

        init() throws {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(socket, generic, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, generic, &length) == 0
                }
            }
            try #require(isOpen)
            (self.socket, port) = (socket, UInt16(bigEndian: address.sin_port))
        }

        deinit { close(socket) }
    }

    @Test @LoopActor func commandsEndWithAWord() async throws {
        let (silence, place) = (try Silence(), try Place())
        defer { place.service.stop() }
        #expect(try await place.run("sync").exit == .code(0))
        let (address, file) = ("http://127.0.0.1:\(silence.port)/dav/Harmony", place.home.path("config/woodshed.yaml"))
        let settings = String(decoding: try AtomicFile.read(file, limit: 10_000), as: UTF8.self)
        // The newcomer is in no band yet; the other home's configuration names a band on the silent server.
        let newcomer = place.home.path("newcomer")
        try Folder.create(newcomer + "/config")
        try AtomicFile.write(settings, to: newcomer + "/config/woodshed.yaml")
        try AtomicFile.write(settings + "\nband:\n  place: \(address)\n", to: file)
        let signed = ["s3://bucket/band", "--name", "Harmony", "--band-endpoint", "http://127.0.0.1:\(silence.port)"]
        let commands: [[String]] = [
            ["band", "create", address, "--name", "Harmony", "--home", newcomer],
            ["band", "create"] + signed + ["--home", newcomer + "2"],
            ["band", "join", address, "--home", newcomer], ["band"], ["band", "ready"], ["band", "mend", "--name", "Harmony"], ["doctor"],
            ["band", "leave"],
        ]
        let run = { @LoopActor (words: [String]) async throws -> (Program.Result, Duration) in
            let start = SystemClock().now
            let result = try await Program.run(
                "woodshed", words + (words.contains("--home") ? [] : ["--home", place.home.path]),
                environment: ["WOODSHED_ACCOUNT_ALLOW_HTTP_LOOPBACK=true", "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret"])
            return (result, SystemClock().now - start)
        }
        // A command that needs no band shows how busy the machine is.
        let beside = spawnThrowing { try await run(["doctor", "--home", newcomer]) }
        let running = commands.map { words in spawnThrowing { try await run(words) } }
        let soon = .seconds(10) + (try await beside.value.1) * 2
        for (words, task) in zip(commands, running) {
            let (result, took) = try await task.value
            #expect(took < soon, "\(words): \(took), soon \(soon)")
            #expect(
                // The doctor goes on with its other checks, and only warns.
                result.exit == .code(words == ["doctor"] ? 0 : 3)
                    && (result.output + result.messages).contains("127.0.0.1:\(silence.port) does not answer"),
                "\(words): \(result)")
        }

        // The agent goes on waiting for the server, but a `sync` that uses the agent does not.
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        AfterTest.end {
            agent.child.kill(SIGTERM)
            _ = try? await agent.result()
        }
        try await waitUntil { try await place.run("open").exit == .code(0) }
        let (synced, took) = try await run(["sync"])
        #expect(took < soon && synced.messages.contains("has not answered in full"), "\(synced), \(took), soon \(soon)")
    }
}
