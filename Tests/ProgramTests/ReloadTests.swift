import DemoService
import Glibc
import Platform
import TestSupport
import Testing

/// An agent whose configuration changes while it runs.
@Suite(.onLoop, .timeLimit(.minutes(5)))
struct ReloadTests {
    private func configuration(_ service: String, _ home: TemporaryFolder, more: String = "") throws {
        try Folder.create(home.path("config"))
        try AtomicFile.write(
            """
            account:
              api_url: \(service)
              allow_http_loopback: true
              token_file: \(home.path("token"))
            \(more)
            """, to: home.path("config/woodshed.yaml"))
    }

    @Test @LoopActor func aSavedConfigurationIsUsedAndAFaultyOneChangesNothing() async throws {
        let home = TemporaryFolder()
        let service = try DemoService.start()
        defer { service.stop() }
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home.path("token"))
        try configuration(service.apiURL, home, more: "render:\n  full_size: 500")
        let agent = try Program("woodshed", ["agent", "--home", home.path])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        try await waitUntil { try said("asleep") == 1 }

        try configuration(service.apiURL, home, more: "render:\n  full_size: much")
        try await waitUntil { try said("goes on with the configuration that it had") == 1 }
        let messages = try agent.messagesSoFar()
        #expect(messages.contains("woodshed.yaml:6"), "\(messages)")
        #expect(try said("read anew") == 0)

        // Saved without a change of any option: nothing to begin anew for. What follows shows that it was seen and left.
        try configuration(service.apiURL, home, more: "render:\n  full_size: 500\n# a remark")
        try configuration(service.apiURL, home, more: "render:\n  full_size: 400")
        try await waitUntil { try said("asleep") == 2 }
        #expect(try said("read anew") == 1)

        agent.child.kill(SIGHUP)
        try await waitUntil { try said("asleep") == 3 }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }
}

extension String {
    /// How many parts a text falls into.
    fileprivate func components(separatedBy text: String) -> Int {
        var count = 1
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
