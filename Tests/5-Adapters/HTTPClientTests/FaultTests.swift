import Glibc
import HTTPClient
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct FaultTests {
    @LoopActor private func failure(
        _ request: HTTPRequest, allowsInsecureLoopback: Bool = true, limits: CurlLimits = CurlLimits()
    ) async -> HTTPFailure? {
        let transport = CurlTransport(
            userAgent: "woodshed-tests/1", allowsInsecureLoopback: allowsInsecureLoopback, limits: limits)
        defer { transport.close() }
        return await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
    }

    @Test @LoopActor func refusedConnectionIsUnreachable() async {
        let failure = await failure(HTTPRequest(.get, "http://127.0.0.1:\(RawServer.closedPort())/secret?signature=hidden"))
        #expect(failure?.kind == .unreachable)
        #expect(failure?.message.contains("127.0.0.1") == true)
        #expect(failure?.message.contains("hidden") == false)
    }

    @Test @LoopActor func plainHTTPIsRefusedUnlessAllowed() async {
        let server = RawServer { _ in [.reply()] }
        let failure = await failure(HTTPRequest(.get, server.url("/")), allowsInsecureLoopback: false)
        #expect(failure?.kind == .refused)
        #expect(server.accepted == 0)
    }

    @Test @LoopActor func plainHTTPToAnotherMachineIsRefusedAlways() async {
        #expect(await failure(HTTPRequest(.get, "http://192.0.2.1/"))?.kind == .refused)
    }

    @Test @LoopActor func plainHTTPAtHomeNeedsAnAddressOfThisNetwork() async throws {
        let server = RawServer { _ in [.reply()] }
        func request(_ url: String) -> HTTPRequest {
            var request = HTTPRequest(.post, url)
            request.isPlainAtHome = true
            return request
        }
        let transport = CurlTransport(userAgent: "woodshed-tests/1")
        defer { transport.close() }
        #expect(try await transport.send(request(server.url("/"))).status == 200)
        for elsewhere in ["http://8.8.8.8/", "http://printer.local/", "http://localhost/"] {
            #expect(await failure(request(elsewhere), allowsInsecureLoopback: false)?.kind == .refused, "\(elsewhere)")
        }
    }

    @Test @LoopActor func plainTextWhereTLSIsDueIsNoAnswer() async {
        let server = RawServer { _ in [.reply()] }
        #expect(await failure(HTTPRequest(.get, "https://127.0.0.1:\(server.port)/"), limits: Self.quick)?.kind != .refused)
        #expect(server.requests.isEmpty)
    }

    /// A server that speaks http answers the beginning of a handshake with an error of its own.
    @Test @LoopActor func plainTextWhereTLSIsDueIsReportedInWords() async {
        let server = RawServer(complaint: "HTTP/1.0 400 Bad Request\r\n\r\n") { _ in [] }
        let failure = await failure(HTTPRequest(.get, "https://127.0.0.1:\(server.port)/"), limits: Self.quick)
        #expect(failure?.kind == .unreachable)
        #expect(failure?.message == "127.0.0.1 speaks http at this address, not https: check the address and its port", "\(failure as Any)")
    }

    @Test(arguments: ["Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", nil])
    @LoopActor func anAnswerThatIsCutOffIsInterrupted(answer: String?) async {
        let server = RawServer { _ in answer.map { [.send("HTTP/1.1 200 OK\r\n" + $0), .close] } ?? [.close] }
        #expect(await failure(HTTPRequest(.get, server.url("/")))?.kind == .interrupted)
    }

    @Test(arguments: ["in front of the body", "behind the body", "behind an empty body"])
    @LoopActor func headersWithoutEndAreRefused(place: String) async {
        let lines = String(repeating: (0..<100).map { "x-\($0): \(String(repeating: "y", count: 900))\r\n" }.joined(), count: 30)
        let server = RawServer { _ in
            switch place {
            case "in front of the body": [.send("HTTP/1.1 200 OK\r\n"), .send(lines), .send("\r\n"), .waitForClose]
            case "behind the body":
                [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n"), .send(lines), .waitForClose]
            default: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"), .send(lines), .waitForClose]
            }
        }
        let failure = await failure(HTTPRequest(.get, server.url("/"), timeout: .seconds(30)))
        // libcurl has its own limit for headers in front of the body, and may report another kind of failure.
        #expect(failure?.kind == .tooLarge || place == "in front of the body")
        #expect(failure?.message.contains("took too long") == false)
    }

    @Test @LoopActor func whatFollowsTheBodyChangesNothingOfTheHead() async throws {
        let server = RawServer { _ in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nETag: \"b\"\r\n\r\n"
                )
            ]
        }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        let response = try await transport.send(HTTPRequest(.get, server.url("/")))
        #expect(response.status == 200 && response.headers["etag"] == "\"a\"")
    }

    @Test @LoopActor func silenceEndsWithTheRequestsTime() async {
        let server = RawServer { _ in [.waitForClose] }
        #expect(await failure(HTTPRequest(.get, server.url("/"), timeout: .milliseconds(200)))?.kind == .interrupted)
    }

    @Test @LoopActor func theTimeCoversRedirectsToo() async {
        let server = RawServer { request in request.path == "/" ? [.redirect(to: "/silent")] : [.waitForClose] }
        #expect(await failure(HTTPRequest(.get, server.url("/"), timeout: .milliseconds(200)))?.kind == .interrupted)
    }

    @Test @LoopActor func aStandstillEndsBeforeTheRequestsTime() async {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), .waitForClose] }
        #expect(await failure(HTTPRequest(.get, server.url("/"), timeout: .seconds(50)), limits: Self.quick)?.kind == .interrupted)
    }

    @Test @LoopActor func declaredSizeOverTheCapIsTooLarge() async {
        let server = RawServer { _ in [.reply("200 OK", String(repeating: "x", count: 2000))] }
        #expect(await failure(HTTPRequest(.get, server.url("/"), maximumBytes: 1999))?.kind == .tooLarge)
    }

    @Test @LoopActor func theCapItselfIsAllowed() async throws {
        let server = RawServer { _ in [.reply("200 OK", String(repeating: "x", count: 2000))] }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        #expect(try await transport.send(HTTPRequest(.get, server.url("/"), maximumBytes: 2000)).body.count == 2000)
    }

    @Test @LoopActor func gzipBombStopsAtTheCap() async {
        let bomb = Self.gzipOfZeros(mebibytes: 64)
        let server = RawServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"), .sendBytes(bomb),
            ]
        }
        #expect(bomb.count < 1 << 20)
        #expect(await failure(HTTPRequest(.get, server.url("/"), maximumBytes: 1 << 20))?.kind == .tooLarge)
        #expect(server.requests.first?.headers["accept-encoding"]?.contains("gzip") == true)
    }

    private static var quick: CurlLimits {
        var limits = CurlLimits()
        limits.connectTimeout = .seconds(1)
        limits.slowTime = .seconds(1)
        return limits
    }

    /// Builds a gzip file by hand: one deflate stream of fixed-Huffman runs of 258 zero bytes, 13 bits each.
    private static func gzipOfZeros(mebibytes: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        var bits: UInt64 = 0
        var count = 0
        func put(_ value: UInt64, _ width: Int) {
            bits |= value << UInt64(count)
            count += width
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                count -= 8
            }
        }
        put(0b011, 3)  // last block, fixed Huffman codes
        put(0b0000_1100, 8)  // literal 0 is 00110000, sent highest bit first
        for _ in 0..<(mebibytes << 20) / 258 {
            put(0b1010_0011, 8)  // length 258 is code 285: 11000101, sent highest bit first
            put(0, 5)  // distance 1
        }
        return bytes
    }
}
