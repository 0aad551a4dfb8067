import CommandLine
import CommandTestSupport
import Configuration
import Glibc
import Host
import Platform
import TestSupport
import Testing

@testable import Commands

/// A change of a token's file, and the browsers that signed in with that token.
@Suite(.onLoop)
struct NetworkTokensTests {
    private let session = Session()
    private let clock = SimulatedClock()

    private func write(_ token: String, to name: String = "viewer") throws -> String {
        try session.write(token + "\n", to: name, mode: 0o600)
    }

    /// Follows both tokens; `told` returns the events since its last call.
    @LoopActor private func begin() throws -> (look: @LoopActor () -> Void, told: @LoopActor () -> [String]) {
        let viewer = try write("geheim-geheim-one")
        let guests = try write("geheim-geheim-guests", to: "guests")
        let text = "viewer:\n  listen: 192.168.1.5\n  token_file: \(viewer)\n  guest_token_file: \(guests)\n"
        let file = try session.write(text, to: "w.yaml")
        let captured = CapturedOutput()
        guard
            case .run(let invocation) = Woodshed.prepare(
                ["agent", "--config", file], environment: session.environment, output: captured.output)
        else { throw CommandFailure(.usage, captured.messages) }
        let configuration = try CommandContext(output: captured.output, environment: session.environment).configuration(invocation)
        let tokens = NetworkTokens(clock: clock)
        var told: [String] = []
        tokens.follow(configuration, try configuration.viewerNetwork()) { news in
            switch news {
            case .other: told.append("other")
            case .closed(let door, let why): told.append("\(door) closed: \(why.contains("token_file: "))")
            case .over(let door, _): told.append("\(door) over")
            case .mended: told.append("mended")
            }
        }
        return (
            { tokens.check() },
            {
                defer { told = [] }
                return told
            }
        )
    }

    @LoopActor private func wait(_ seconds: Int) async throws {
        try await clock.run { try await clock.sleep(for: .seconds(seconds)) }
    }

    /// An editor may remove the file and write it anew; that must not sign anybody out in the middle of a service.
    @Test @LoopActor func aFileThatIsBackInTimeEndsNothing() async throws {
        let (look, told) = try begin()
        unlink(session.folder.path("viewer"))
        look()
        look()
        #expect(told() == ["all closed: true"])
        try await wait(59)
        look()
        #expect(told() == [])
        _ = try write("geheim-geheim-one")
        look()
        #expect(told() == ["mended"])
        try await wait(120)
        #expect(told() == [])
    }

    @Test(arguments: ["", "short", "aaaaaaaaaaaaaaaaaaaa", "two words"]) @LoopActor
    func aFileThatStaysUnusableEndsWhatItLetIn(_ text: String) async throws {
        let (look, told) = try begin()
        unlink(session.folder.path("viewer"))
        if !text.isEmpty { _ = try write(text) }
        look()
        #expect(told() == ["all closed: true"])
        // No further event reports the file, so the agent must check the file by a timer.
        try await wait(61)
        #expect(told() == ["all over"])
        look()
        try await wait(120)
        #expect(told() == [], "it is said once")
        _ = try write("geheim-geheim-one")
        look()
        #expect(told() == ["mended"])
    }

    @Test @LoopActor func anotherTokenTakesEffectAtOnce() async throws {
        let (look, told) = try begin()
        look()
        #expect(told() == [])
        _ = try write("geheim-geheim-two")
        // Another fault in the configuration file does not affect the token.
        _ = try session.write("viewer: [\n", to: "w.yaml")
        look()
        look()
        #expect(told() == ["other"])
    }

    /// The former token admits nobody, whatever the state of the guests' file.
    @Test @LoopActor func anotherTokenTakesEffectThoughTheGuestsFileIsFaulty() async throws {
        let (look, told) = try begin()
        unlink(session.folder.path("guests"))
        _ = try write("geheim-geheim-two")
        look()
        look()
        #expect(told() == ["other", "guests closed: true"])
    }

    /// A fault in the guests' file does not sign musicians out.
    @Test @LoopActor func theGuestsTokenIsAboutGuests() async throws {
        let (look, told) = try begin()
        unlink(session.folder.path("guests"))
        look()
        try await wait(61)
        #expect(told() == ["guests closed: true", "guests over"])
        unlink(session.folder.path("viewer"))
        look()
        try await wait(61)
        #expect(told() == ["all closed: true", "all over"])
    }
}
