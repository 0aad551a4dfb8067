import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite(.onLoop)
struct SecretSourceTests {
    @LoopActor
    private func read(_ source: SecretSource, environment: Environment = [:]) async throws -> String {
        // The limit for commands has its own test; a busy machine must not reach it here.
        try await source.read(environment: environment, clock: SystemClock(), commandLimit: .seconds(240)).revealed
    }

    @LoopActor
    private func problem(_ source: SecretSource, environment: Environment = [:]) async throws -> String {
        let error = try await #require(throws: Trouble.self) { _ = try await read(source, environment: environment) }
        #expect(!error.description.contains("geheim"))
        return error.description
    }

    @Test(arguments: [0o600, 0o400] as [mode_t])
    @LoopActor func privateFileIsRead(_ mode: mode_t) async throws {
        let session = Session()
        let file = try session.write("id:ge:heim\r\n", to: "token", mode: mode)
        #expect(try await read(.file(file)) == "id:ge:heim")
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o602, 0o700, 0o4600] as [mode_t])
    @LoopActor func widerFileIsRefusedWithTheCommandToRun(_ mode: mode_t) async throws {
        let session = Session()
        let file = try session.write("id:geheim\n", to: "my token's", mode: mode)
        let quoted = "'" + session.folder.path("my token'\\''s") + "'"
        #expect(
            try await problem(.file(file))
                == "no token: \(file) must have mode 0600, so that only you can read it; run: chmod 600 \(quoted)")
    }

    @Test(arguments: [
        "", "\n", "geheim\n", ":geheim\n", "geheim:\n", "id:geheim\nid:geheim\n", "id: geheim\n", "id:geheim\u{7}", "id:gehéim",
    ])
    @LoopActor func whatCanBeNoTokenIsRefusedUnseen(_ text: String) async throws {
        let session = Session()
        let file = try session.write(text, to: "token")
        let message = try await problem(.file(file))
        #expect(message.hasPrefix("no token: \(file)"))
        #expect(!message.contains("gehéim"))
    }

    @Test @LoopActor func whatIsNoFileOfOursIsRefused() async throws {
        let session = Session()
        #expect(try await problem(.file(session.folder.path("nowhere"))).contains("No such file"))
        #expect(try await problem(.file(session.folder.path)).hasSuffix("is not a file"))
        let fifo = session.folder.path("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        #expect(try await problem(.file(fifo)).hasSuffix("is not a file"))
        let large = try session.write("id:" + String(repeating: "x", count: 5000), to: "large")
        #expect(try await problem(.file(large)).contains("too large"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a file away"))
    @LoopActor func fileOfAnotherUserIsRefused() async throws {
        let session = Session()
        let file = try session.write("id:geheim\n", to: "token")
        try #require(chown(file, 65534, 65534) == 0)
        #expect(try await problem(.file(file)).contains("belongs to another user"))
    }

    @Test @LoopActor func credentialIsReadFromItsFolder() async throws {
        let session = Session()
        _ = try session.write("id:geheim", to: "credentials/pco", mode: 0o444)
        let environment: Environment = ["CREDENTIALS_DIRECTORY": session.folder.path("credentials")]
        #expect(try await read(.credential("pco"), environment: environment) == "id:geheim")
        #expect(try await problem(.credential("other"), environment: environment).contains("credentials/other"))
        #expect(try await problem(.credential("pco")).contains("$CREDENTIALS_DIRECTORY is not set"))
    }

    @Test @LoopActor func commandsFirstLineIsTheToken() async throws {
        let environment: Environment = ["PATH": "/usr/bin:/bin", "WHO": "id"]
        #expect(try await read(.command("echo $WHO:geheim; echo more"), environment: environment) == "id:geheim")
        #expect(try await read(.command("printf id:geheim"), environment: environment) == "id:geheim")
        #expect(try await read(.command("cat; echo id:geheim"), environment: environment) == "id:geheim", "it reads nothing")
    }

    @Test @LoopActor func talkativeCommandDoesNotStandStill() async throws {
        let environment: Environment = ["PATH": "/usr/bin:/bin"]
        #expect(try await read(.command("echo id:geheim; head -c 1000000 /dev/zero"), environment: environment) == "id:geheim")
    }

    @Test @LoopActor func commandThatClosesItsOutputEarlyIsWaitedFor() async throws {
        let environment: Environment = ["PATH": "/usr/bin:/bin"]
        #expect(try await read(.command("echo id:geheim; exec >&-; read line; exit 0"), environment: environment) == "id:geheim")
    }

    @Test @LoopActor func failedCommandIsNamed() async throws {
        let environment: Environment = ["PATH": "/usr/bin:/bin"]
        #expect(try await problem(.command("echo id:geheim; exit 3"), environment: environment).hasSuffix("ended with code 3"))
        #expect(try await problem(.command("true"), environment: environment) == "no token: account.token_command is empty")
        #expect(try await problem(.command("echo geheim"), environment: environment).contains("with a colon in between"))
    }

    @Test @LoopActor func commandThatDoesNotEndIsKilled() async throws {
        let clock = HandClock()
        let environment: Environment = ["PATH": "/usr/bin:/bin"]
        let reading = spawn { () async -> String in
            do {
                return try await SecretSource.command("echo id:geheim; sleep 600; true").read(environment: environment, clock: clock)
                    .revealed
            } catch {
                return "\(error)"
            }
        }
        await clock.untilTimer()
        clock.advance(by: .seconds(30))
        #expect(await reading.value == "no token: account.token_command did not end within 30 s")
    }

    @Test @LoopActor func timerOfAnEndedCommandIsForgotten() async throws {
        let clock = HandClock()
        let secret = try await SecretSource.command("echo id:geheim").read(environment: ["PATH": "/bin"], clock: clock)
        #expect(secret.revealed == "id:geheim")
        #expect(!clock.hasTimers)
        #expect("\(secret)" == "(secret)")
    }

    @Test func optionsNameTheSource() {
        var account = Options.Account()
        #expect(SecretSource(account) == nil)
        account.tokenCredential = "pco"
        #expect(SecretSource(account) == .credential("pco"))
        account.tokenFile = "/t"
        #expect(SecretSource(account) == .file("/t"))
    }
}
