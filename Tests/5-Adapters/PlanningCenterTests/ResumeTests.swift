import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// An interrupted download continues where it stopped or starts again, but never joins parts of different files.
@Suite(.onLoop)
struct ResumeTests {
    private static let open = "\(Service.root)/attachments/1/open"
    private static let signed = "https://files.example.net/a?signature=s"

    /// A host with one file; `bytes` can be replaced during a download.
    @LoopActor private final class FileHost {
        let service = Service()
        var bytes: [UInt8]
        var etag: String? = "\"1\""
        /// The file that replaces the first one after the first answer.
        var replacement: (text: String, etag: String?)?
        /// Changes the answers to requests for a part.
        var part: (@LoopActor (HTTPResponse) -> HTTPResponse)?
        var ranges: [String?] = []
        var starts: [FileStart] = []
        var sink: [UInt8] = []

        init(_ text: String, openedFrom isPrivate: Bool = false) {
            bytes = Array(text.utf8)
            service.network.pieceSize = 4
            service.network.route(.post, ResumeTests.open) { (_) throws(HTTPFailure) in
                let body = #"{"data":{"type":"AttachmentActivity","id":"1","attributes":{"attachment_url":"\#(ResumeTests.signed)"}}}"#
                return HTTPResponse(status: 201, body: Array(body.utf8), isFromPrivateHost: isPrivate)
            }
            service.network.route(.get, ResumeTests.signed) { [unowned self] (request) throws(HTTPFailure) in answer(request) }
        }

        private func answer(_ request: HTTPRequest) -> HTTPResponse {
            func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
            ranges.append(header("Range"))
            defer {
                if let replacement { (bytes, etag) = (Array(replacement.text.utf8), replacement.etag) }
                replacement = nil
            }
            let tag = etag.map { ["etag": $0] } ?? [:]
            guard let range = header("Range"), header("If-Range") == etag, let first = Int(range.dropFirst(6).dropLast()) else {
                return HTTPResponse(status: 200, headers: tag, body: bytes)
            }
            let rest = HTTPResponse(
                status: 206, headers: tag.merging(["content-range": "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"]) { $1 },
                body: Array(bytes[first...]))
            return part?(rest) ?? rest
        }

        func fetch(size: Int? = nil, isGenerated: Bool = false) async throws -> Download {
            let chart = Attachment(
                id: AttachmentID("1"), filename: "a.pdf", fileSize: size ?? bytes.count, isGenerated: isGenerated)
            return try await service.client.download(chart) { start in
                self.starts.append(start)
                if start.offset == 0 { self.sink = [] }
                return start.offset == self.sink.count
            } into: { piece in
                self.sink += piece
                return true
            }
        }
    }

    @Test @LoopActor func onlyTheRestIsAskedFor() async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5, 7]
        let download = try await host.fetch()
        #expect(String(decoding: host.sink, as: UTF8.self) == "0123456789abcdef")
        #expect(host.ranges == [nil, "bytes=5-", "bytes=12-"])
        #expect(host.starts.map(\.offset) == [0, 5, 12])
        #expect(download.bytes == 16)
        // The file was opened once.
        #expect(host.service.network.requests.count { $0.method == .post } == 1)
        #expect(host.service.network.requests.allSatisfy { $0.method == .post || $0.credentials == nil })
    }

    @Test @LoopActor func replacedBytesComeFromTheirBeginning() async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5]
        host.replacement = ("ABCDEFGHIJKLMNOP", "\"2\"")
        _ = try await host.fetch()
        #expect(String(decoding: host.sink, as: UTF8.self) == "ABCDEFGHIJKLMNOP")
        #expect(host.ranges == [nil, "bytes=5-"])
        #expect(host.starts == [FileStart(offset: 0, validator: "\"1\""), FileStart(offset: 0, validator: "\"2\"")])
    }

    enum Oddity: CaseIterable, Sendable {
        case otherTag, noTag, otherStart, otherSize, noRange
    }

    /// Hosts that do not support If-Range, or send another part than the requested one.
    @Test(arguments: Oddity.allCases) @LoopActor func aPartOfSomethingElseIsNotJoined(oddity: Oddity) async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5]
        host.part = { rest in
            var headers = rest.headers
            switch oddity {
            case .otherTag: headers["etag"] = "\"2\""
            case .noTag: headers["etag"] = nil
            case .otherStart: headers["content-range"] = "bytes 4-15/16"
            case .otherSize: headers["content-range"] = "bytes 5-15/17"
            case .noRange: headers["content-range"] = nil
            }
            return HTTPResponse(status: 206, headers: headers, body: rest.body)
        }
        _ = try await host.fetch()
        #expect(String(decoding: host.sink, as: UTF8.self) == "0123456789abcdef")
        #expect(host.ranges == [nil, "bytes=5-", nil])
        #expect(host.starts.map(\.offset) == [0, 0])
    }

    @Test @LoopActor func aPartThatIsNotThereIsAskedForAsAWhole() async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5]
        host.part = { _ in HTTPResponse(status: 416) }
        _ = try await host.fetch()
        #expect(host.ranges == [nil, "bytes=5-", nil])
        #expect(host.sink == host.bytes)
    }

    @Test(arguments: [nil, "W/\"1\""] as [String?]) @LoopActor func withoutAStrongNameItStartsAgain(etag: String?) async throws {
        let host = FileHost("0123456789abcdef")
        host.etag = etag
        host.service.network.breaks = [5]
        _ = try await host.fetch()
        #expect(host.ranges == [nil, nil])
        #expect(host.sink == host.bytes)
    }

    @Test @LoopActor func whatIsMadeOnDemandStartsAgain() async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5]
        _ = try await host.fetch(size: 0, isGenerated: true)
        #expect(host.ranges == [nil, nil])
        #expect(host.sink == host.bytes)
    }

    @Test @LoopActor func anEmptyAnswerAfterAPartIsEmpty() async throws {
        let host = FileHost("0123456789abcdef")
        host.etag = nil
        host.service.network.breaks = [5]
        host.replacement = ("", nil)
        #expect(try await host.fetch(size: 16).bytes == 0)
        #expect(host.sink.isEmpty)
    }

    @Test @LoopActor func itEndsAfterAFewTries() async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [2, 2, 2, 2, 2]
        let failure = await #expect(throws: ServiceFailure.self) { try await host.fetch() }
        #expect(failure?.name == "offline")
        #expect(host.ranges == [nil, "bytes=2-", "bytes=4-", "bytes=6-"])
        // Three waits, each half of its bound: a quarter and a half of a second, and one second.
        #expect(host.service.clock.waited == .milliseconds(1750))
    }

    @Test(arguments: [false, true]) @LoopActor func onlyAServiceAtHomeMayNameAHostAtHome(isPrivate: Bool) async throws {
        let host = FileHost("0123", openedFrom: isPrivate)
        _ = try await host.fetch()
        #expect(host.service.network.requests.last?.allowsPrivateHosts == isPrivate)
    }

    @LoopActor @Test(arguments: 0..<40) func whateverBreaksTheBytesAreOneVersionOfTheFile(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let versions = ["0123456789abcdef", "ABCDEFGHIJKLMNOP"]
        let host = FileHost(versions[0])
        host.service.network.breaks = (0..<3).map { _ in Bool.random(using: &random) ? Int.random(in: 0...16, using: &random) : nil }
        if Bool.random(using: &random) { host.replacement = (versions[1], "\"2\"") }
        _ = try await host.fetch()
        #expect(versions.contains(String(decoding: host.sink, as: UTF8.self)))
        #expect(host.sink.count == 16)
    }

    @Test(arguments: [(5, true), (3600, false)]) @LoopActor func aHostThatAsksForPatienceGetsIt(seconds: Int, waits: Bool) async throws {
        let host = FileHost("0123456789abcdef")
        host.service.network.breaks = [5]
        var isBusy = true
        host.part = { rest in
            defer { isBusy = false }
            return isBusy ? HTTPResponse(status: 503, headers: ["retry-after": "\(seconds)"]) : rest
        }
        if waits {
            _ = try await host.fetch()
            #expect(host.sink == host.bytes)
            #expect(host.ranges == [nil, "bytes=5-", "bytes=5-"])
            // Two waits of half their bounds, and the wait that the service requested.
            #expect(host.service.clock.waited == .milliseconds(250 + 500 + 5000))
        } else {
            let failure = await #expect(throws: ServiceFailure.self) { try await host.fetch() }
            #expect(failure?.name == "serverError")
            #expect(host.ranges.count == 2)
        }
    }
}
