import Glibc
import Platform
import TestSupport
import Testing

@Suite(.onLoop, .timeLimit(.minutes(2)))
struct IdleAgentTests {
    /// The threads of a process, and how often they have gone to sleep of their own will.
    private func threads(of pid: Int32) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for thread in try Folder.names(in: "/proc/\(pid)/task") {
            let status = String(decoding: try AtomicFile.read("/proc/\(pid)/task/\(thread)/status", limit: 65536), as: UTF8.self)
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            found[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") }
        }
        return found
    }

    @Test @LoopActor func idleAgentHasOneThreadAndNeverWakes() async throws {
        let home = TemporaryFolder()
        try Folder.create(home.path("config"))
        // Nobody listens on the discard port: the agent finds itself offline, keeps what it has, and goes to sleep.
        try AtomicFile.write(
            """
            account:
              api_url: http://127.0.0.1:9/services/v2
              allow_http_loopback: true
              token_file: \(home.path("token"))
            """, to: home.path("config/woodshed.yaml"))
        try AtomicFile.write("id:secret\n", to: home.path("token"))
        let agent = try Program("woodshed", ["agent", "--home", home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let before = try threads(of: agent.child.pid)

        // The one place where real time has to pass: nothing may happen in it.
        try await SystemClock().sleep(for: .milliseconds(2500))

        let after = try threads(of: agent.child.pid)
        #expect(before.count == 1)
        #expect(after == before)
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(!result.messages.contains("secret"))
    }
}
