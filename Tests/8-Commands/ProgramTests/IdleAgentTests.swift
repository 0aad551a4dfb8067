import DemoService
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@Suite(.onLoop)
struct IdleAgentTests {
    /// The threads of a process, and how many times each has gone to sleep by itself.
    private func threads(of pid: Int32) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for thread in try Folder.names(in: "/proc/\(pid)/task") {
            let status = String(decoding: try AtomicFile.read("/proc/\(pid)/task/\(thread)/status", limit: 65536), as: UTF8.self)
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            found[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") }
        }
        return found
    }

    private func children(of pid: Int32) throws -> String {
        String(decoding: try AtomicFile.read("/proc/\(pid)/task/\(pid)/children", limit: 65536), as: UTF8.self)
    }

    /// Starts an agent below `home` from a shell that first runs `words`; returns once all is synced and drawn, and the agent sleeps.
    @LoopActor
    private func sleepingAgent(_ service: String, home: TemporaryFolder, in words: String = ":") async throws -> Program {
        try Folder.create(home.path("config"))
        try AtomicFile.write(
            """
            account:
              api_url: \(service)
              allow_http_loopback: true
              token_file: \(home.path("token"))
            """, to: home.path("config/woodshed.yaml"))
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home.path("token"))
        let shell = ["/bin/sh", "-c", words + #"; exec "$0" agent --home "$1""#, Program.folder + "/woodshed", home.path]
        // If possible, the agent gets a mount namespace of its own, because the mounts of other tests would wake it.
        let alone = geteuid() == 0 && MountedFolder.lack == nil ? ["/usr/bin/unshare", "--mount"] + shell : shell
        let agent = try Program(alone[0], Array(alone.dropFirst()))
        // Renderers that work ahead have low priority, so other tests may delay them.
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        return agent
    }

    @LoopActor
    private func neverWakes(_ agent: Program) async throws {
        // The agent may still be finishing work on other threads, or handling the events of its own last changes.
        try await waitUntil {
            let before = try threads(of: agent.child.pid)
            try await SystemClock().sleep(for: .milliseconds(500))
            return try before.count == 3 && threads(of: agent.child.pid) == before
        }
        var (before, after): ([String: Int], [String: Int])
        var renderers: String
        repeat {
            (before, renderers) = (try threads(of: agent.child.pid), try children(of: agent.child.pid))
            // Real time must pass without an event; repeat if an idle renderer reached its limit of a minute and ended meanwhile.
            try await SystemClock().sleep(for: .milliseconds(2500))
            after = try threads(of: agent.child.pid)
        } while try children(of: agent.child.pid) != renderers
        #expect(after == before)
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(!result.messages.contains(DemoService.secret))
    }

    @Test(.needs(.realTime)) @LoopActor func idleAgentHasThreeThreadsThatNeverWake() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        let agent = try await sleepingAgent(service.apiURL, home: home)
        #expect(try agent.messagesSoFar().contains("37 pages"), "it has worked before it sleeps")
        try await neverWakes(agent)
    }

    /// Whether a process watches any folder.
    private func watches(_ pid: Int32) throws -> Bool {
        try Folder.names(in: "/proc/\(pid)/fd").contains { number in
            var target = [UInt8](repeating: 0, count: 64)
            let count = target.withUnsafeMutableBytes { buffer in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlink("/proc/\(pid)/fd/\(number)", $0, text.count) } ?? 0
                }
            }
            return String(decoding: target.prefix(max(count, 0)), as: UTF8.self) == "anon_inode:inotify"
        }
    }

    /// A sleeping agent watches its cache, wakes for a deleted file, and sleeps again.
    @Test(.needs(.realTime)) @LoopActor func agentWakesForADeletedImageOnly() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        let agent = try await sleepingAgent(service.apiURL, home: home)
        // The agent may be restarting, since the folder of links was just made.
        try await waitUntil { try watches(agent.child.pid) }
        let charts = try Folder.names(in: home.path("cache/pages")).sorted()
        for chart in charts.prefix(3) {
            let folder = home.path("cache/pages/" + chart)
            let before = try Folder.names(in: folder).sorted()
            for name in before { unlink(folder + "/" + name) }
            try await waitUntil { try access(folder, F_OK) == 0 && Folder.names(in: folder).sorted() == before }
        }
        try await waitUntil { try watches(agent.child.pid) }
        try await neverWakes(agent)
    }

    /// A sleeping agent watches the musician's files of marks.
    @Test(.needs(.realTime)) @LoopActor func agentWakesForASavedFileOfMarksOnly() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        let agent = try await sleepingAgent(service.apiURL, home: home)
        let library = try Library(readingFrom: home.path("data"))
        let attachment = try #require(try library.plans.all().flatMap(\.attachments).first { try library.charts.chart(of: $0.id) != nil })
        library.close()
        for (number, x) in [0.2, 0.4, 0.6].enumerated() {
            try AtomicFile.write(
                ##"{"attachment_id":"\##(attachment.id.text)","marks":[{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.1,"points":[[\##(x),0.1]]}]}"##,
                to: home.path("music/own.marks.json"))
            try await waitUntil { try annotated(home) == number + 1 }
        }
        try await neverWakes(agent)
    }

    private func annotated(_ home: TemporaryFolder) throws -> Int {
        try Folder.names(in: home.path("cache/pages")).reduce(0) { count, chart in
            count + (try Folder.names(in: home.path("cache/pages/" + chart)).count { $0.contains("-annotated-") && $0.hasSuffix(".png") })
        }
    }

    @Test(.needs(.realTime)) @LoopActor func offlineAgentSleepsToo() async throws {
        let home = TemporaryFolder()
        // No program listens at the discard port.
        let agent = try await sleepingAgent("http://127.0.0.1:9/services/v2", home: home)
        #expect(try agent.messagesSoFar().contains("cannot be reached"))
        try await neverWakes(agent)
    }

    /// The agent's memory contains the token. A kernel that pipes core dumps to a program ignores all limits except exactly one byte.
    @Test @LoopActor func aCrashWouldLeaveNoFileOfItsMemory() async throws {
        let home = TemporaryFolder()
        let agent = try await sleepingAgent("http://127.0.0.1:9/services/v2", home: home, in: "ulimit -Sc $(ulimit -Hc)")
        let limits = String(decoding: try AtomicFile.read("/proc/\(agent.child.pid)/limits", limit: 65536), as: UTF8.self)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        let (soft, hard) = (line.split(separator: " ").dropFirst(4).first, line.split(separator: " ").dropFirst(5).first)
        #expect(soft == (hard == "0" ? "0" : "1"), "\(line)")
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    /// Whether the agent's socket for commands exists.
    private func hasSocket(_ home: TemporaryFolder) -> Bool {
        let names = (try? Folder.names(in: home.path("runtime"))) ?? []
        return names.contains { name in
            var status = stat()
            return name.hasPrefix("control-") && lstat(home.path("runtime/" + name), &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    @Test(.needs(.kill)) @LoopActor func socketOfAKilledAgentIsTheNextOnes() async throws {
        let home = TemporaryFolder()
        let killed = try await sleepingAgent("http://127.0.0.1:9/services/v2", home: home)
        killed.child.kill(SIGKILL)
        _ = try await killed.result()
        #expect(hasSocket(home))
        let next = try await sleepingAgent("http://127.0.0.1:9/services/v2", home: home)
        next.child.kill(SIGTERM)
        let result = try await next.result()
        #expect(result.exit == .code(0))
        #expect(!result.messages.contains("other commands cannot reach"))
        #expect(!hasSocket(home))
    }

    @Test @LoopActor func refusedTokenEndsTheAgentWithItsOwnCode() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        try AtomicFile.write("id:wrong\n", to: home.path("token"))
        let result = try await Program.run(
            "woodshed",
            [
                "agent", "--home", home.path, "--account-api-url", service.apiURL, "--account-allow-http-loopback", "true",
                "--account-token-file", home.path("token"),
            ])
        #expect(result.exit == .code(5), "\(result.messages)")
        #expect(!result.messages.contains("wrong"))
    }
}
