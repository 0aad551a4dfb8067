import CommandTestSupport
import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration
@testable import Host
@testable import PlanningCenter

/// A musician who signed in at the service with a browser stays signed in.
@Suite(.onLoop)
struct SignInTests {
    private let session = Session(["PATH": "/nowhere"])

    /// The sign-in in this home, as a newly started program reads it.
    @LoopActor private func signIn(
        at api: String, path: String = "/nowhere", clock: any TimeKeeper = SystemClock(),
        through application: String = StandIn.publicApplication
    ) throws -> SignIn {
        let file = try session.write(
            "account: {api_url: '\(api)', allow_http_loopback: true, sign_in: \(application)}",
            to: "home/config/woodshed.yaml")
        let environment = Environment(session.environment.variables.merging(["PATH": path]) { $1 })
        let context = CommandContext(output: CapturedOutput().output, environment: environment, clock: clock)
        var sources = ConfigurationSources(environment: environment)
        sources.file = file
        return SignIn(try Configuration.load(sources), context: context)
    }

    /// Signs in as a person who allows access in the browser, and returns the tokens.
    @LoopActor private func allow(_ signIn: SignIn) async throws -> SignInTokens {
        let application = try signIn.application()
        let (redirect, proof) = (SignInApplication.redirect(port: SignInApplication.ports[0]), Secret.random())
        let page = application.page(redirect: redirect, state: Secret("state"), proof: proof)
        let answer = try HTTPProbe.send("GET", page + "&answer=allow", headers: [("User-Agent", "a browser")])
        let place = try #require(answer.headers["location"])
        let code = try #require(place.firstMatch(of: /code=([^&]*)/)?.1)
        // A code that another program intercepts is useless without the proof.
        let stranger = await #expect(throws: ServiceFailure.self) {
            try await application.tokens(for: String(code), redirect: redirect, proof: Secret.random())
        }
        #expect(stranger == .notAuthorised("The grant is invalid, expired or revoked.", isSignIn: true))
        let second = try HTTPProbe.send("GET", page + "&answer=allow", headers: [("User-Agent", "a browser")])
        let good = try #require(second.headers["location"]?.firstMatch(of: /code=([^&]*)/)?.1)
        return try await application.tokens(for: String(good), redirect: redirect, proof: proof)
    }

    /// Makes a `secret-tool` that keeps the secret in a file instead of a keyring; returns that file, and a PATH on which the tool
    /// is found. While a file called `locked` exists, writes fail.
    private func keyring() throws -> (file: String, path: String) {
        let ring = session.folder.path("ring")
        let tool = """
            #!/bin/sh
            case $1 in
            store) [ ! -e '\(session.folder.path("locked"))' ] || exit 1; cat > '\(ring)';;
            lookup) cat '\(ring)';;
            clear) rm '\(ring)';;
            esac

            """
        _ = try session.write(tool, to: "bin/secret-tool", mode: 0o700)
        return (ring, session.folder.path("bin") + ":/usr/bin:/bin")
    }

    @LoopActor private func text() throws -> String {
        String(decoding: try AtomicFile.read(session.folder.path("home/config/account-sign-in"), limit: 1 << 16), as: UTF8.self)
    }

    @Test @LoopActor func itIsRenewedBeforeItRunsOutAndNotMoreOftenThanThat() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        demo.setSignInsLast(200)
        let first = try signIn(at: demo.apiURL)
        let tokens = try await allow(first)
        try await first.keep(tokens, in: .file)
        var status = stat()
        #expect(lstat(first.path, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let renewed = try await first.read(wasRefused: false)
        let kept = try text()
        #expect(renewed != tokens.access && kept.contains(renewed.revealed) && !kept.contains(tokens.access.revealed))
        #expect(try await first.read(wasRefused: false) == renewed)
        #expect(!first.isDue(renewed))
        #expect(!first.hasNews, "what we write ourselves is no news")
        // A program that starts later finds the renewed token, and renews it.
        demo.setSignInsLast(7200)
        let later = try signIn(at: demo.apiURL)
        let last = try await later.read(wasRefused: false)
        #expect(first.hasNews)
        #expect(try await later.read(wasRefused: false) == last)
        #expect(!later.isDue(last))
        #expect(try later.publicID() == first.publicID())
    }

    /// A clock that the test can set, as a person can set the clock of a machine, and that also counts the time in which the machine
    /// sleeps.
    @LoopActor
    private final class SettableClock: TimeKeeper {
        private let system = SystemClock()
        var set = Duration.zero
        var slept = Duration.zero

        var now: Moment { system.now + slept }
        var wallTime: Duration { system.wallTime + set }
        func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
            system.schedule(at: system.now + (deadline - now), action)
        }
        func cancel(_ timer: TimerID) { system.cancel(timer) }
    }

    @Test @LoopActor func aClockThatIsSetBackKeepsNothingFromBeingRenewed() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let clock = SettableClock()
        let signIn = try signIn(at: demo.apiURL, clock: clock)
        let tokens = try await allow(signIn)
        try await signIn.keep(tokens, in: .file)
        // By a clock that is a day ahead, the token seems to have expired; the service then refuses to renew it.
        clock.set = .seconds(86_400)
        _ = try await signIn.first()
        #expect(signIn.isDue(tokens.access))
        demo.withdrawSignIns()
        #expect(try await signIn.read(wasRefused: false) == tokens.access)
        #expect(!signIn.isDue(tokens.access), "not again at once")
        // After the clock was corrected, the token is about to expire, and the failure still delays the next try by a minute.
        clock.set = .zero
        let left = tokens.expires - clock.timestamp
        clock.set = left - .seconds(200)
        #expect(!signIn.isDue(tokens.access))
        clock.slept = .seconds(61)
        #expect(signIn.isDue(tokens.access))
    }

    @Test @LoopActor func twoProgramsRenewItOnce() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let programs = try (0..<2).map { _ in try signIn(at: demo.apiURL) }
        try await programs[0].keep(try await allow(programs[0]), in: .file)
        for program in programs { _ = try await program.read(wasRefused: false) }
        let tasks = programs.map { program in spawnThrowing { try await program.read(wasRefused: true) } }
        let (one, other) = (try await tasks[0].value, try await tasks[1].value)
        #expect(one == other)
        #expect(try text().contains(one.revealed))
    }

    @Test @LoopActor func whoWithdrewItHasToSignInAgainAndWhoIsOfflineHasNot() async throws {
        let demo = try StandIn.start()
        demo.setSignInsLast(200)
        let signIn = try signIn(at: demo.apiURL)
        let tokens = try await allow(signIn)
        try await signIn.keep(tokens, in: .file)
        demo.withdrawSignIns()
        // The token is about to expire and cannot be renewed; the music that is here can still be played.
        #expect(try await signIn.read(wasRefused: false) == tokens.access)
        let failure = await #expect(throws: ServiceFailure.self) { try await signIn.read(wasRefused: true) }
        #expect(failure == .notAuthorised("The grant is invalid, expired or revoked.", isSignIn: true))
        demo.stop()
        #expect(try await signIn.read(wasRefused: false) == tokens.access)
        // An agent that starts does not wait for the network.
        #expect(try await self.signIn(at: demo.apiURL).first() == tokens.access)
        #expect(try text().contains(tokens.access.revealed))
    }

    @Test @LoopActor func nothingIsSentToAnotherService() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let signIn = try signIn(at: demo.apiURL)
        try await signIn.keep(try await allow(signIn), in: .file)
        let moved = try self.signIn(at: "https://elsewhere.example/services/v2")
        let error = await #expect(throws: Trouble.self) { try await moved.read(wasRefused: false) }
        #expect(error?.description.contains("the configuration names another") == true)
        chmod(signIn.path, 0o644)
        let readable = await #expect(throws: Trouble.self) { try await signIn.read(wasRefused: false) }
        #expect(readable?.description.contains("chmod 600") == true)
        // Tokens that others could read, and tokens for a former configuration, can still be revoked at the service that issued them.
        let kept = try text()
        let access = try #require(kept.firstMatch(of: /"access":"([^"]+)"/)?.1)
        #expect(try await moved.end() == nil && Glibc.access(signIn.path, F_OK) != 0)
        let refused = try HTTPProbe.send(
            "GET", demo.apiURL + "/me", headers: [("User-Agent", "a test"), ("Authorization", "Bearer \(access)")])
        #expect(refused.status == 401)
    }

    /// The configured service or application may have changed since the former sign-in.
    @Test(arguments: [true, false]) @LoopActor func whoSignsInAnewEndsTheFormerSignInWhereItWasMade(isElsewhere: Bool) async throws {
        let demos = [try StandIn.start(), try StandIn.start()]
        defer { for demo in demos { demo.stop() } }
        let signIn = try signIn(at: demos[0].apiURL)
        let former = try await allow(signIn)
        try await signIn.keep(former, in: .file)
        let next =
            try isElsewhere ? self.signIn(at: demos[1].apiURL) : self.signIn(at: demos[0].apiURL, through: StandIn.confidentialApplication)
        try await next.keep(former, in: .file)
        let refused = try HTTPProbe.send(
            "GET", demos[0].apiURL + "/me", headers: [("User-Agent", "a test"), ("Authorization", "Bearer \(former.access.revealed)")])
        #expect(refused.status == 401)
    }

    @Test @LoopActor func whatIsInTheKeyringStaysThere() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let (ring, path) = try keyring()
        let signIn = try signIn(at: demo.apiURL, path: path)
        let tokens = try await allow(signIn)
        try await signIn.keep(tokens, in: .keyring)
        #expect(try await signIn.read(wasRefused: false) == tokens.access)
        let renewed = try await signIn.read(wasRefused: true)
        let kept = String(decoding: try AtomicFile.read(ring, limit: 1 << 16), as: UTF8.self)
        let note = try text()
        #expect(kept.contains(renewed.revealed) && !note.contains(renewed.revealed) && note.contains("keyring"))

        // An agent also starts without the keyring; it reads the token only when it needs it.
        let without = try self.signIn(at: demo.apiURL)
        let empty = try await without.first()
        #expect(empty == Secret("") && without.isDue(empty) && !without.hasNews)
        let error = await #expect(throws: ServiceFailure.self) { try await without.read(wasRefused: false) }
        #expect(error?.description.contains("libsecret-tools") == true)
        #expect(try await signIn.end() == nil)
        #expect(access(ring, F_OK) != 0 && access(signIn.path, F_OK) != 0)
        let refused = try HTTPProbe.send(
            "GET", demo.apiURL + "/me", headers: [("User-Agent", "a test"), ("Authorization", "Bearer \(renewed.revealed)")])
        #expect(refused.status == 401)
    }

    @Test @LoopActor func whatCannotBeKeptIsGoodAllTheSame() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let (ring, path) = try keyring()
        let signIn = try signIn(at: demo.apiURL, path: path)
        try await signIn.keep(try await allow(signIn), in: .keyring)
        let first = try await signIn.read(wasRefused: false)
        let locked = try session.write("", to: "locked")
        let renewed = try await signIn.read(wasRefused: true)
        #expect(renewed != first)
        let kept = { String(decoding: try AtomicFile.read(ring, limit: 1 << 16), as: UTF8.self) }
        #expect(try !kept().contains(renewed.revealed))
        unlink(locked)
        #expect(try await signIn.read(wasRefused: false) == renewed)
        #expect(try kept().contains(renewed.revealed))
    }
}
