import HTTPClient
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct RedirectTests {
    private static let secret = "app:very-secret"

    @LoopActor private func get(_ url: String) async throws -> HTTPResponse {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        return try await transport.send(
            HTTPRequest(.get, url, headers: [("Authorization-Note", "kept")], credentials: Secret(Self.secret)))
    }

    /// Returns the failure of a request; if the request succeeds, the test fails.
    @LoopActor private func failure(_ url: String) async -> HTTPFailure? {
        await #expect(throws: HTTPFailure.self) { try await get(url) }
    }

    @Test @LoopActor func credentialsGoToTheirOriginAndStayWithIt() async throws {
        let server = RawServer { request in request.path == "/a" ? [.redirect(to: "/b")] : [.reply("200 OK", "there")] }
        let response = try await get(server.url("/a"))
        #expect(response.body == Array("there".utf8))
        // "app:very-secret" in base64.
        #expect(server.requests.map { $0.headers["authorization"] } == Array(repeating: "Basic YXBwOnZlcnktc2VjcmV0", count: 2))
    }

    @Test @LoopActor func credentialsAreDroppedOnTheWayToAnotherPort() async throws {
        let other = RawServer { _ in [.reply("200 OK", "bytes")] }
        let elsewhere = other.url("/file?signature=s")
        let server = RawServer { _ in [.redirect(to: elsewhere, status: "307 Temporary Redirect")] }
        let response = try await get(server.url("/a"))
        #expect(response.body == Array("bytes".utf8))
        #expect(server.requests.first?.headers["authorization"] != nil)
        let request = try #require(other.requests.first)
        #expect(request.path == "/file?signature=s")
        #expect(request.headers["authorization"] == nil)
        #expect(request.headers["authorization-note"] == "kept")
    }

    /// Sends a request that must stay at its origin.
    @LoopActor private func staying(_ url: String) async throws -> HTTPResponse {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        var request = HTTPRequest(.get, url, credentials: Secret(Self.secret))
        request.staysAtOrigin = true
        return try await transport.send(request)
    }

    @Test(
        arguments: ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"],
        ["another host", "another port", "another scheme", "in two steps"])
    @LoopActor func anAnswerThatMustComeFromItsOriginIsNotTakenFromElsewhere(status: String, place: String) async throws {
        let other = RawServer { _ in [.reply("200 OK", #"{"data":[]}"#)] }
        let places = [
            "another host": "http://localhost:\(other.port)/list?signature=hidden", "another port": other.url("/list"),
            "another scheme": "https://127.0.0.1:1/list",
        ]
        let elsewhere = places[place] ?? other.url("/list")
        let server = RawServer { request in
            [.redirect(to: place == "in two steps" && request.path == "/a" ? "/b" : elsewhere, status: status)]
        }
        let failure = await #expect(throws: HTTPFailure.self) { try await staying(server.url("/a")) }
        #expect(failure?.kind == .ledAway)
        #expect(failure?.message.contains("127.0.0.1 points to") == true)
        #expect(failure?.message.contains("hidden") == false)
        #expect(other.requests.isEmpty)
    }

    @Test @LoopActor func aRedirectWithinTheOriginIsFollowed() async throws {
        let server = RawServer { request in request.path == "/a" ? [.redirect(to: "/b")] : [.reply("200 OK", "there")] }
        #expect(try await staying(server.url("/a")).body == Array("there".utf8))
    }

    @Test @LoopActor func fiveRedirectsAreFollowedAndNotSix() async throws {
        let server = RawServer { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? [.reply("200 OK", "end")] : [.redirect(to: "/\(left - 1)")]
        }
        #expect(try await get(server.url("/5")).body == Array("end".utf8))
        let failure = await failure(server.url("/6"))
        #expect(failure?.kind == .refused)
        #expect(failure?.message.contains("5 times") == true)
    }

    @Test(arguments: ["file:///etc/hostname", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "javascript:0", "http://user:pw@127.0.0.1/"])
    @LoopActor func redirectToAnythingElseIsRefused(location: String) async throws {
        let server = RawServer { _ in [.redirect(to: location)] }
        let failure = await failure(server.url("/"))
        #expect(failure?.kind == .refused)
        #expect(failure?.message.contains("/etc/hostname") == false)
    }

    @Test @LoopActor func redirectToPlainHTTPOfAnotherMachineIsRefused() async throws {
        let server = RawServer { _ in [.redirect(to: "http://192.0.2.1/?signature=hidden")] }
        let failure = await failure(server.url("/"))
        #expect(failure?.kind == .refused)
        #expect(failure?.message.contains("192.0.2.1") == true)
        #expect(failure?.message.contains("hidden") == false)
    }

    @Test @LoopActor func redirectOfASinkDoesNotReachTheSink() async throws {
        let server = RawServer { request in
            request.path == "/" ? [.reply("302 Found", headers: ["Location: /file"], "moved")] : [.reply("200 OK", "file")]
        }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        var seen: [UInt8] = []
        _ = try await transport.send(HTTPRequest(.get, server.url("/"))) { piece in
            seen += piece
            return true
        }
        #expect(seen == Array("file".utf8))
    }
}
