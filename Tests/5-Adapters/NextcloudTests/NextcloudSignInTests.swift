import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Nextcloud

/// Logging in to a Nextcloud with a browser, with correct servers and with faulty ones.
@Suite(.onLoop)
struct NextcloudSignInTests {
    private let cloud = SimulatedNextcloud()
    private static let notYet = Result<HTTPResponse, HTTPFailure>.success(HTTPResponse(status: 404))
    private static let granted = Result<HTTPResponse, HTTPFailure>.success(
        SimulatedNextcloud.response(SimulatedNextcloud.granted))

    // MARK: - The normal case

    @Test @LoopActor func whoLogsInGivesThisProgramAPasswordOfItsOwn() async throws {
        let signIn = try await cloud.begin()
        #expect(signIn.page == SimulatedNextcloud.page)
        #expect(signIn.server == "https://cloud.example")
        cloud.answers = [Self.notYet, Self.notYet, Self.granted]
        let access = try await cloud.clock.run { try await signIn.access() }
        #expect(access == NextcloudAccess(loginName: "anna", password: Secret("s3cr:et"), server: "https://cloud.example"))
        #expect(cloud.clock.now == Moment(nanoseconds: 6_000_000_000), "asked every two seconds")
        #expect(cloud.polls.count == 3)
        #expect(cloud.polls.allSatisfy { $0.body == Array("token=t%2Bk".utf8) })
    }

    @Test @LoopActor func whatIsSentIsBoundedStaysAtTheServerAndHasNoCookie() async throws {
        let first = SimulatedNextcloud.response(SimulatedNextcloud.begun, ["set-cookie": "session=1"])
        let signIn = try await cloud.begin(first)
        cloud.answers = [Self.granted]
        _ = try await cloud.clock.run { try await signIn.access() }
        #expect(cloud.network.requests.count == 2)
        for request in cloud.network.requests {
            #expect(request.method == .post)
            #expect(request.staysAtOrigin)
            #expect(request.maximumBytes <= 64 << 10)
            #expect(request.timeout <= .seconds(30))
            #expect(request.credentials == nil)
            #expect(request.headers.contains { $0 == ("User-Agent", "Woodshed (desk)") })
            #expect(!request.headers.contains { $0.name.lowercased() == "cookie" })
        }
    }

    @Test(arguments: [
        ("https://cloud.example", ""), ("HTTPS://Cloud.Example:443/", ""), ("https://cloud.example/remote.php/webdav", ""),
        ("https://cloud.example/nc/remote.php/dav/files/a/B", "/nc"), ("https://cloud.example/nc/index.php/apps/files?dir=/B", "/nc"),
    ])
    @LoopActor func theServerIsFoundInTheAddressOfAFolder(address: String, base: String) async throws {
        cloud.network.route(.post, SimulatedNextcloud.host + base + "/index.php/login/v2", SimulatedNextcloud.begun)
        #expect(try await cloud.begin(at: address).page == SimulatedNextcloud.page)
        #expect(cloud.network.requests.map(\.url) == ["https://cloud.example\(base)/index.php/login/v2"])
    }

    @Test(arguments: ["cloud.example", "ftp://cloud.example", "https://anna:pw@cloud.example/remote.php", "https://", "https://a b", ""])
    @LoopActor func whatIsNoAddressIsAskedNothing(address: String) async {
        await #expect(throws: Trouble.noAddress) { try await cloud.begin(at: address) }
        #expect(cloud.network.requests.isEmpty)
    }

    // MARK: - Nobody logs in

    @Test @LoopActor func whoNeverLogsInIsWaitedForTwentyMinutes() async throws {
        await #expect(throws: Trouble.ranOut(server: "https://cloud.example", nil)) { try await cloud.access([]) }
        #expect(cloud.clock.now == Moment(nanoseconds: 1_200_000_000_000))
        #expect(cloud.polls.count == 600)
    }

    @Test @LoopActor func whoLoggedInWhileTheMachineSleptIsAskedOnceMore() async throws {
        let signIn = try await cloud.begin()
        cloud.clock.skip(.seconds(3600))
        cloud.answers = [Self.granted]
        #expect(try await cloud.clock.run { try await signIn.access() }.loginName == "anna")
        #expect(cloud.clock.now == Moment(nanoseconds: 3600 * 1_000_000_000), "at once")
    }

    @Test @LoopActor func waitingEndsAtOnceWhenItIsCancelled() async throws {
        let signIn = try await cloud.begin()
        let waiting = Task { try await signIn.access() }
        waiting.cancel()
        await #expect(throws: Trouble.cancelled) { try await waiting.value }
        cloud.answers = [.failure(HTTPFailure(.cancelled, "cancelled"))]
        await #expect(throws: Trouble.cancelled) { try await cloud.clock.run { try await signIn.access() } }
    }

    // MARK: - The network

    @Test @LoopActor func aNetworkThatIsGoneForAWhileIsWaitedFor() async throws {
        let failures = [HTTPFailure.Kind.unreachable, .interrupted, .refused].map {
            Result<HTTPResponse, HTTPFailure>.failure(HTTPFailure($0, "gone"))
        }
        #expect(try await cloud.access(failures + [.success(HTTPResponse(status: 503)), Self.granted]).loginName == "anna")
        #expect(cloud.polls.count == 5)
    }

    @Test @LoopActor func aServerThatAsksForAPauseIsGivenOneWithinReason() async throws {
        let busy = ["30", "999999999999999999999", "-5"].map { wait in
            Result<HTTPResponse, HTTPFailure>.success(HTTPResponse(status: 429, headers: ["retry-after": wait]))
        }
        _ = try await cloud.access(busy + [Self.granted])
        #expect(cloud.clock.now == Moment(nanoseconds: (2 + 30 + 60 + 2) * 1_000_000_000))
    }

    @Test @LoopActor func whatWentWrongIsSaidAtTheEnd() async {
        cloud.network.intercept = { $0.url == SimulatedNextcloud.endpoint ? HTTPFailure(.unreachable, "no route") : nil }
        let trouble = await cloud.trouble { _ = try await cloud.access([]) }
        #expect(trouble.contains("within 20 minutes (when it was asked: no route)"))
    }

    @Test(arguments: [
        (HTTPFailure(.unreachable, "no route"), "https://cloud.example cannot be asked for now (no route)"),
        (HTTPFailure(.refused, "its certificate is not trusted"), "cannot be asked for now (its certificate is not trusted)"),
        (HTTPFailure(.tooLarge, "too large"), "lets nobody log in"),
        (HTTPFailure(.cancelled, "cancelled"), "cancelled"),
    ])
    @LoopActor func aServerThatCannotBeAskedIsNamed(failure: HTTPFailure, sentence: String) async {
        cloud.network.failure = failure
        #expect(await cloud.trouble { _ = try await cloud.begin() }.contains(sentence))
    }

    // MARK: - Servers without this flow

    @Test(arguments: [
        (SimulatedNextcloud.response("not here", status: 404), "it answered 404"),
        (SimulatedNextcloud.response("", status: 405), "it answered 405"),
        (SimulatedNextcloud.response("", status: 301, ["location": "https://www.cloud.example/x"]), "points to https://www.cloud.example)"),
        (SimulatedNextcloud.response("", status: 302, ["location": "/login\u{1b}[2J"]), "it answered 302)"),
        (SimulatedNextcloud.response(" \n<!DOCTYPE html><form>Log in</form>"), "a web page came instead"),
        (SimulatedNextcloud.response(#"{"ok":true}"#), "it answered something else"),
        (SimulatedNextcloud.response(""), "it answered something else"),
    ])
    @LoopActor func aServerWithoutSuchALogInIsToldFromOneThatHasIt(response: HTTPResponse, how: String) async {
        let trouble = await cloud.trouble { _ = try await cloud.begin(response) }
        #expect(trouble.contains("lets nobody log in with a browser"))
        #expect(trouble.contains(how))
    }

    @Test(arguments: [500, 503, 429]) @LoopActor func aServerInMaintenanceMayHaveOne(status: Int) async {
        await #expect(throws: Trouble.unavailable(server: "https://cloud.example", "it answered \(status)")) {
            try await cloud.begin(HTTPResponse(status: status))
        }
    }

    // MARK: - Forged answers

    @Test(arguments: [
        "https://evil.example/x", "https://cloud.example:8443/x", "http://cloud.example/x", "https://cloud.example.evil.example/x",
    ])
    @LoopActor func whatLeadsToAnotherOriginIsRefused(address: String) async {
        for lie in [SimulatedNextcloud.endpoint, SimulatedNextcloud.page] {
            let body = SimulatedNextcloud.begun.replacing(lie, with: address)
            let trouble = await cloud.trouble { _ = try await cloud.begin(SimulatedNextcloud.response(body)) }
            #expect(trouble.contains("https://cloud.example calls itself \(address.dropLast(2)), and a password is sent nowhere but"))
            #expect(trouble.contains("overwriteprotocol") == address.hasPrefix("http:"))
        }
        #expect(cloud.polls.isEmpty)
        let body = SimulatedNextcloud.granted.replacing("https://cloud.example", with: address)
        let trouble = await cloud.trouble { _ = try await cloud.access([.success(SimulatedNextcloud.response(body))]) }
        #expect(trouble.contains("calls itself \(address.dropLast(2))"))
        #expect(trouble.contains("Remove this program there"), "since a password was made")
    }

    @Test(arguments: [
        "", "/login/v2/poll", "https://cloud.example@evil.example/", "https://cloud.example\\\\@evil.example/",
        "https://cloud.example/\\u001b[2J",
        "https://cloud.example/\\\"><script>", "https://cloud.example:0443/", "javascript:alert(1)", "https://clоud.example/",
    ])
    @LoopActor func whatIsNoAddressIsNotShownOrAsked(address: String) async {
        for lie in [SimulatedNextcloud.endpoint, SimulatedNextcloud.page] {
            let body = SimulatedNextcloud.begun.replacing(lie, with: address)
            let trouble = await cloud.trouble { _ = try await cloud.begin(SimulatedNextcloud.response(body)) }
            #expect(trouble.contains("(an address in it is none)"))
        }
        #expect(cloud.polls.isEmpty)
    }

    @Test(arguments: ["", "a b", "a\\r\\nb", String(repeating: "a", count: 1025)])
    @LoopActor func aTokenThatIsNoneIsRefused(token: String) async {
        let body = SimulatedNextcloud.begun.replacing("t+k", with: token)
        #expect(await cloud.trouble { _ = try await cloud.begin(SimulatedNextcloud.response(body)) }.contains("its token is none"))
    }

    @Test(arguments: [
        ("anna", ""), ("anna", "a:b"), ("anna", "a\\nb"), ("anna", "a\\u001bb"), ("anna", "a\\u202eb"),
        ("anna", String(repeating: "a", count: 256)),
        ("s3cr:et", ""), ("s3cr:et", "a\\nb"), ("s3cr:et", "pässword"), ("s3cr:et", String(repeating: "a", count: 1025)),
    ])
    @LoopActor func aNameOrPasswordThatCannotBeKeptAsOneLineIsRefused(what: String, other: String) async {
        let body = SimulatedNextcloud.granted.replacing("\"\(what)\"", with: "\"\(other)\"")
        let trouble = await cloud.trouble { _ = try await cloud.access([.success(SimulatedNextcloud.response(body))]) }
        #expect(trouble.contains("its user name or password cannot be sent"))
    }

    @Test(arguments: [
        "", "{", "<html>", "[]", #"{"server":1,"loginName":"a","appPassword":"b"}"#, #"{"loginName":"a","appPassword":"b"}"#,
        String(repeating: "[", count: 9),
        #"{"server":"https://cloud.example","loginName":"a","appPassword":"b","server":"https://cloud.example"}"#,
    ])
    @LoopActor func anAnswerWithoutAPasswordEndsIt(body: String) async {
        let trouble = await cloud.trouble { _ = try await cloud.access([.success(SimulatedNextcloud.response(body)), Self.granted]) }
        #expect(trouble.contains("it is no password"))
        #expect(cloud.polls.count == 1)
    }

    @Test(arguments: [
        Result<HTTPResponse, HTTPFailure>.success(HTTPResponse(status: 403)),
        .success(HTTPResponse(status: 302, headers: ["location": "https://evil.example"])),
        .failure(HTTPFailure(.tooLarge, "too large")),
    ])
    @LoopActor func aServerThatAnswersOtherwiseIsNotAskedAgain(answer: Result<HTTPResponse, HTTPFailure>) async {
        let trouble = await cloud.trouble { _ = try await cloud.access([answer, Self.granted]) }
        #expect(trouble.contains("cannot be used"))
        #expect(cloud.polls.count == 1)
    }

    // MARK: - The file

    @Test @LoopActor func thePasswordIsKeptAsOneLineThatOnlyThisUserCanRead() throws {
        let folder = TemporaryFolder()
        let path = folder.path("new/band-password")
        let access = NextcloudAccess(loginName: "anna", password: Secret("s3cr:et"), server: "https://cloud.example")
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write("old", to: path, mode: 0o644)
        try access.write(to: path)
        #expect(try AtomicFile.read(path, limit: 100) == Array("anna:s3cr:et\n".utf8))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(try Folder.names(in: folder.path("new")) == ["band-password"])
        #expect(!"\(access)".contains("s3cr"), "and is in no message")
        #expect(throws: SystemError.self) { try access.write(to: path + "/x") }
    }
}
