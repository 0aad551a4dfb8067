import CommandLine
import CommandTestSupport
import Configuration
import Host
import Platform
import TestSupport
import Testing

@testable import Commands

/// A running agent takes over changes of its configuration file.
@Suite(.onLoop)
struct ReloadingTests {
    private let session = Session()
    private let captured = CapturedOutput()

    private func write(_ size: Int) throws {
        _ = try session.write("id:secret\n", to: "token")
        _ = try session.write("account:\n  token_file: \(session.folder.path("token"))\nrender:\n  full_size: \(size)\n", to: "w.yaml")
    }

    @LoopActor private func begin(
        onReady: @escaping @LoopActor () -> Void
    ) async throws -> (Reloading, () throws(CommandFailure) -> Configuration) {
        let context = CommandContext(output: captured.output, environment: session.environment)
        guard
            case .run(let invocation) = Woodshed.prepare(
                ["agent", "--config", session.folder.path("w.yaml")], environment: session.environment, output: captured.output)
        else {
            throw CommandFailure(.usage, captured.messages)
        }
        let sources = ConfigurationSources(invocation, environment: context.environment)
        let reloading = Reloading(try await AgentSetup(sources, context), captured.output, onReady: onReady) {
            () throws(CommandFailure) in
            try await AgentSetup(sources, context)
        }
        return (reloading, { () throws(CommandFailure) in try context.configuration(invocation) })
    }

    /// Nothing watches the configuration file while one agent ends and the next begins, so the next one reads the file again.
    @Test @LoopActor func whatWasSavedWhileNobodyWatchedIsTakenOver() async throws {
        try write(500)
        var reloads = 0
        let (reloading, read) = try await begin { reloads += 1 }
        reloading.catchUp(by: read)
        await settle()
        #expect(reloads == 0 && captured.messages == "", "\(captured.messages)")

        try write(600)
        reloading.catchUp(by: read)
        try await waitUntil { reloads == 1 }
        #expect(reloading.setup.configuration.options.render.fullSize == 600)
        reloading.catchUp(by: read)
        await settle()
        #expect(reloads == 1, "it was read meanwhile")
    }

    /// An agent that cannot start with a new configuration must not be restarted with it for ever.
    @Test @LoopActor func whatNoAgentCouldStartWithIsNotTriedAgain() async throws {
        try write(500)
        var reloads = 0
        let (reloading, read) = try await begin { reloads += 1 }
        let former = reloading.setup
        try write(600)
        reloading.reload(isAsked: false)
        try await waitUntil { reloads == 1 }
        reloading.goBack(to: former, CommandFailure(.failed, "no room"))
        reloading.catchUp(by: read)
        await settle()
        #expect(reloads == 1)
        #expect(captured.messages.contains("no room"))
    }

    /// The complaint is among the agent's troubles, so that musicians who do not read the log see it.
    @Test @LoopActor func whatCannotBeUsedIsSaidUntilItIsPutRight() async throws {
        try write(500)
        let (reloading, read) = try await begin {}
        #expect(reloading.complaints == [])
        _ = try session.write("render: [\n", to: "w.yaml")
        reloading.catchUp(by: read)
        try await waitUntil { reloading.complaints.count == 1 }
        #expect(reloading.complaints[0].contains("keeps its previous configuration") && reloading.complaints[0].contains("w.yaml:"))
        try write(500)
        reloading.reload(isAsked: false)
        try await waitUntil { reloading.complaints.isEmpty }
    }

    /// Lets the pending work on the loop run.
    @LoopActor private func settle() async {
        for _ in 0..<50 { await Task.yield() }
    }
}
