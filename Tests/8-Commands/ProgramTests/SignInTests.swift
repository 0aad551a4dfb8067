import DemoService
import Glibc
import LocalHTTP
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// A musician signs in at the service with a browser. The tests run one by one, since the service redirects browsers to only two ports.
@Suite(.onLoop, .serialized)
struct SignInTests {
    /// A home whose configuration leads to a stand-in, through one of its applications.
    @LoopActor private func place(secret: String? = nil) throws -> Place {
        let place = try Place()
        var application = StandIn.publicApplication
        if let secret {
            application = StandIn.confidentialApplication
            try AtomicFile.write(secret + "\n", to: place.home.path("secret"))
        }
        try AtomicFile.write(
            """
            account:
              api_url: \(place.service.apiURL)
              allow_http_loopback: true
              sign_in: \(application)
              sign_in_secret: \(secret == nil ? "none" : place.home.path("secret"))
            render: {full_size: 200, thumbnail_size: 64}
            """, to: place.home.path("config/woodshed.yaml"))
        return place
    }

    /// Opens the address that the program prints, gives this answer there, and follows the redirection back to the program.
    @LoopActor private func browse(_ program: Program, answer: String) async throws -> HTTPProbe.Reply {
        try await waitUntil { try program.messagesSoFar().contains("code_challenge_method") }
        let page = try #require(try program.messagesSoFar().firstMatch(of: /http:\S+/)).0
        let words = try HTTPProbe.send("GET", String(page), headers: [("User-Agent", "a browser")])
        #expect(words.status == 200 && words.text.contains("Woodshed wants to read your plans"))
        let answer = try HTTPProbe.send("GET", "\(page)&answer=\(answer)", headers: [("User-Agent", "a browser")])
        let back = try #require(answer.headers["location"])
        let port = try #require(back.firstMatch(of: /localhost:(\d+)/)?.1)
        let here = back.replacing("localhost", with: "127.0.0.1")
        // Neither a stranger's answer nor a request from another site's page ends the wait.
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(port)/signed-in?code=stolen&state=guessed").status == 400)
        #expect(try HTTPProbe.send("GET", here, headers: [("Host", "elsewhere.example")]).status == 403)
        return try HTTPProbe.send("GET", here, headers: [("Host", "localhost:\(port)")])
    }

    private static func isFree(_ port: UInt16) -> Bool {
        [IPAddress.loopback, .loopback6].allSatisfy { address in
            do throws(Trouble) {
                _ = try Listening.reserve(port: port, of: address)
                return true
            } catch {
                return false
            }
        }
    }

    /// Browsers try IPv6 first for `localhost`, and would bring the code to any program that listens there.
    @Test @LoopActor func portThatSomebodyElseHasOnIPv6IsNotUsed() async throws {
        let place = try place()
        defer { place.service.stop() }
        let first: UInt16 = 41573
        guard let squatter = try Listening.reserve(port: first, of: .loopback6) else { return }
        // Any other test may have the second port for a moment, since the system assigns such numbers.
        try await waitUntil { Self.isFree(first + 1) }
        let program = try Program("woodshed", ["sign-in", "--home", place.home.path])
        try await waitUntil { try program.messagesSoFar().contains("code_challenge_method") }
        let messages = try program.messagesSoFar()
        #expect(messages.contains("localhost%3A\(first + 1)"), "\(messages)")
        // The sign-in also keeps the port on IPv6, so no other program can take it later.
        let failure = #expect(throws: Trouble.self) { _ = try Listening.reserve(port: first + 1, of: .loopback6) == nil }
        #expect(failure?.kind == .inTheWay)
        program.child.kill(SIGTERM)
        _ = try await program.result()
        _ = consume squatter
    }

    @Test(arguments: [nil, DemoService.secret]) @LoopActor func afterwardsPlansAreRead(secret: String?) async throws {
        let place = try place(secret: secret)
        defer { place.service.stop() }
        let before = try await place.run("sync")
        #expect(before.exit == .code(4) && before.messages.contains("run 'woodshed sign-in"), "\(before.messages)")
        let program = try Program("woodshed", ["sign-in", "--home", place.home.path])
        #expect(try await browse(program, answer: "allow").text.contains("You are signed in"))
        let ended = try await program.result()
        #expect(ended.exit == .code(0) && ended.messages.contains("Signed in."), "\(ended.messages)")
        let synced = try await place.run("sync")
        #expect(synced.exit == .code(0), "\(synced.messages)")

        // After the service has withdrawn the sign-in, a message requests a new one, and all music here stays.
        place.service.withdrawSignIns()
        let refused = try await place.run("sync")
        #expect(refused.exit == .code(5) && refused.messages.contains("sign in again with 'woodshed sign-in"), "\(refused.messages)")
        let out = try await place.run("sign-out")
        #expect(out.exit == .code(0), "\(out.messages)")
        #expect(try await place.run("sign-out").exit == .code(1))
        #expect(try await place.run("plans").output.contains("Gathered In"))
    }

    @Test @LoopActor func whoRefusesIsNotSignedIn() async throws {
        let place = try place()
        defer { place.service.stop() }
        let program = try Program("woodshed", ["sign-in", "--home", place.home.path])
        #expect(try await browse(program, answer: "refuse").text.contains("Not signed in"))
        let ended = try await program.result()
        #expect(ended.exit == .code(5) && ended.messages.contains("access_denied"), "\(ended.messages)")
        #expect(access(place.home.path("config/account-sign-in"), F_OK) != 0)
    }
}
