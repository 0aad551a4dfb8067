import Glibc
import LocalHTTP
import Platform
import StandInSupport
import TestSupport
import Testing

/// The catalogue is removed while an agent works on it.
@Suite(.onLoop)
struct AstrayTests {
    @Test @LoopActor func anAgentStartsAgainWithAllThatItKnewAndBrowsersGoOn() async throws {
        let place = try Place()
        defer { place.service.stop() }
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().ranges(of: text).count }
        try await waitUntil { try said("asleep") == 1 }
        let address = try await place.run("open").output
        let parts = try #require(address.firstMatch(of: /http:\/\/([^\/]*:(\d+))(\/open\S*)/)?.output)
        let (host, site) = (String(parts.1), "http://127.0.0.1:\(parts.2)")
        let entrance = try HTTPProbe.send("GET", site + parts.3, headers: [("Host", host)])
        let cookie = String(try #require(entrance.headers["set-cookie"]).prefix { $0 != ";" })
        func page() throws -> Int { try HTTPProbe.send("GET", site + "/", headers: [("Host", host), ("Cookie", cookie)]).status }
        #expect(try page() == 200)

        // Pin a plan, which only this library records, and stop the service, so that everything must come back from this machine.
        #expect(try await place.run("pin", "next").exit == .code(0))
        place.service.stop()
        unlink(place.home.path("data/catalogue.sqlite"))
        try await waitUntil { try said("everything that was known is in place again") == 1 && said("asleep") == 2 }
        #expect(try page() == 200)
        #expect(try await place.run("pin", "next").output.contains("already pinned"))
        #expect(try await place.run("ready").exit == .code(0), "nothing has to be asked for")
        #expect(try said("asleep") == 2, "what it writes itself is no reason to start again")
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    @Test @LoopActor func aSyncEndsSaysWhyAndHasSavedWhatItKnew() async throws {
        let place = try Place()
        defer { place.service.stop() }
        #expect(try await place.run("sync").exit == .code(0))
        let data = place.home.path("data")
        let catalogue = data + "/catalogue.sqlite"
        let service = try WebServer { _ in
            unlink(catalogue)
            return WebReply(status: 500)
        }
        defer { service.stop() }
        let sync = try await place.run("sync", "--account-api-url", "http://127.0.0.1:\(service.port)/services/v2")
        #expect(sync.exit == .code(1))
        #expect(sync.messages.contains("woodshed: \(catalogue) or a file beside it was removed"), "\(sync.messages)")
        #expect(sync.messages.contains("is kept as \(data)/backups/"), "\(sync.messages)")
        let again = try await place.run("sync")
        #expect(again.exit == .code(0))
        #expect(again.messages.contains("everything that was known is in place again"), "\(again.messages)")
        #expect(again.messages.contains("; 0 charts downloaded"), "\(again.messages)")
    }
}
