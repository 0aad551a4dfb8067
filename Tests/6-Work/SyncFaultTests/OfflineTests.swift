import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built programs on a machine without a network: a network namespace with only loopback, and the stand-in stopped.
@Suite(.onLoop, .needs(.otherPrograms))
struct OfflineTests {
    private static let settings = RenderSettings(fullSize: 200, thumbnailSize: 64)
    private static let environment = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]
    private static let unshare = "/usr/bin/unshare"
    private static let shell = "/bin/sh"
    /// Brings loopback up in the new network namespace, and starts a program there.
    private static let begin = #"/usr/sbin/ip link set lo up && exec "$0" "$@""#

    /// Whether this system allows a network namespace of our own, and has the tools for requests in it.
    nonisolated private static let isAllowed: Bool = {
        let programs: [String] = ["/usr/sbin/ip", "/usr/bin/nsenter", "/usr/bin/curl"]
        guard programs.allSatisfy({ (program: String) in access(program, X_OK) == 0 }) else { return false }
        return system("exec \(unshare) -rn /usr/sbin/ip link set lo up 2>/dev/null") == 0
    }()

    private struct State: Decodable {
        struct Plan: Decodable {
            let ready: String, pages: Int, pagesReady: Int
        }
        let lastPoll: String?, offlineSince: String?, plans: [Plan]
    }

    @Test(.enabled(if: isAllowed, "unshare -rn, ip, nsenter or curl is not to be had here"))
    @LoopActor func allThatIsReadyIsThereAndServed() async throws {
        let demo = try StandIn.start()
        let home = try AgentHome(demo)
        let agent = try home.start(Self.environment)
        try await AgentHome.untilAsleep(agent)
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
        demo.stop()
        // The last good poll was yesterday.
        let library = try Library(folder: home.folder.path("data"))
        try library.recordPoll(at: try #require(try library.lastPoll) - .seconds(26 * 3600), now: true)
        library.close()

        let before = try ReadyAnswer(try await alone(home, "ready", "--plan", "all", "--json"))
        #expect(before.ready && before.plans.count == 3, "\(before.lacks)")
        let check = try await OwnCheck(home: home.folder.path, settings: Self.settings)
        #expect(try check.lacks() == [:])
        let paths = try check.paths()
        #expect(paths.count > 90)
        let bytes = try paths.map { try AtomicFile.read($0, limit: 1 << 28) }

        let offline = try Program(
            Self.unshare, ["-rn", Self.shell, "-c", Self.begin, Program.folder + "/woodshed", "agent", "--home", home.folder.path],
            environment: Self.environment)
        try await AgentHome.untilAsleep(offline)
        // The agent has detected that it cannot reach the service.
        try await waitUntil { try offline.messagesSoFar().contains("cannot be reached") }
        let status = try await alone(home, "status")
        #expect(status.output.hasPrefix("Ready: ") && status.output.contains("running since"), "\(status.output)")
        #expect(status.output.contains("answered in full 26 h ago"), "\(status.output)")
        let text = try await alone(home, "ready")
        #expect(text.exit == .code(0) && text.output.contains("the service last answered in full 26 h ago"), "\(text.output)")
        #expect(await home.isAnswered("/v1/select?chart=79073904&page=0"))
        try await browse(home, offline)
        offline.child.kill(SIGTERM)
        let result = try await offline.result()
        #expect(result.exit == .code(0), "\(result.messages)")

        let after = try ReadyAnswer(try await alone(home, "ready", "--plan", "all", "--json"))
        #expect(after.ready && after.last_poll == before.last_poll, "\(after.lacks)")
        #expect(try check.lacks() == [:])
        #expect(try check.paths() == paths)
        for (path, bytes) in zip(paths, bytes) { #expect(try AtomicFile.read(path, limit: 1 << 28) == bytes, "\(path)") }
        let old = try ReadyAnswer(try await alone(home, "ready", "--plan", "all", "--max-age", "12h", "--json"))
        #expect(!old.ready && !old.young && old.incomplete == [])
    }

    /// Requests pages as a browser on that machine does.
    @LoopActor
    private func browse(_ home: AgentHome, _ agent: Program) async throws {
        let invitation = try await alone(home, "open")
        #expect(invitation.exit == .code(0), "\(invitation.messages)")
        let address = try #require(invitation.output.split(separator: "\n").first.map(String.init))
        let end = try #require(address.firstRange(of: "/open?"))
        let server = String(address[..<end.lowerBound])
        let jar = home.folder.path("cookies")
        func curl(_ url: String) async throws -> String {
            let result = try await Program.run(
                "/usr/bin/nsenter",
                [
                    "-t", "\(agent.child.pid)", "-U", "-n", "--preserve-credentials", "/usr/bin/curl", "-sS", "-f", "-b", jar, "-c", jar,
                    url,
                ])
            #expect(result.exit == .code(0), "\(url): \(result.messages)")
            return result.output
        }
        _ = try await curl(address)
        let state = try JSONDecoder().decode(State.self, from: Data(try await curl(server + "/api/state").utf8))
        #expect(state.lastPoll != nil && state.offlineSince != nil)
        #expect(state.plans.count == 3)
        for plan in state.plans { #expect(plan.ready == "ready" && plan.pages == plan.pagesReady) }
    }

    /// Runs one of our commands in a network namespace of its own, which has only loopback.
    @LoopActor
    private func alone(_ home: AgentHome, _ words: String...) async throws -> Program.Result {
        try await Program.run(
            Self.unshare,
            ["-rn", Self.shell, "-c", Self.begin, Program.folder + "/woodshed"] + words + ["--home", home.folder.path],
            environment: Self.environment)
    }
}
