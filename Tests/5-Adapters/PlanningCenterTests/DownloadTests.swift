import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct DownloadTests {
    private static let chart = Attachment(id: AttachmentID("chord_chart-550112--"), filename: "Grace.pdf")
    private static let open = "\(Service.root)/attachments/chord_chart-550112--/open"
    private static let signed = "https://files.example.net/a?signature=hidden-signature"

    @LoopActor private func service(openStatus: Int = 201, file: HTTPResponse = HTTPResponse(status: 200)) -> Service {
        let service = Service()
        service.network.route(
            .post, Self.open, status: openStatus,
            #"{"data":{"type":"AttachmentActivity","id":"1","attributes":{"attachment_url":"\#(Self.signed)"},"relationships":{}}}"#)
        service.network.route(.get, Self.signed) { (_) throws(HTTPFailure) in file }
        return service
    }

    @Test(arguments: [200, 201]) @LoopActor func bytesReachTheSinkWithoutTheTokenLeaving(status: Int) async throws {
        let body = Array("%PDF-1.7 the rest".utf8)
        let service = service(
            openStatus: status, file: HTTPResponse(status: 200, headers: ["content-type": "application/pdf"], body: body))
        service.network.pieceSize = 4
        var seen: [UInt8] = []
        let download = try await service.client.download(Self.chart) { piece in
            seen += piece
            return true
        }
        #expect(seen == body)
        #expect(download == Download(bytes: body.count, contentType: "application/pdf"))
        #expect(service.network.requests.map(\.method) == [.post, .get])
        #expect(service.network.requests[0].credentials != nil)
        #expect(service.network.requests[1].credentials == nil)
    }

    @Test @LoopActor func aSignedAddressThatIsOverDoesNotBlameTheToken() async throws {
        let service = service(file: HTTPResponse(status: 403, body: Array("Request has expired".utf8)))
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.download(Self.chart) { _ in true } }
        #expect(failure?.name == "serverError")
        #expect(failure?.description.contains("hidden-signature") == false)
        #expect(failure?.description.contains("Grace.pdf") == true)
        #expect(service.lines.all.allSatisfy { !$0.contains("hidden-signature") })
    }

    @Test @LoopActor func aRefusedOpenIsForbidden() async throws {
        let service = service(openStatus: 403)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.download(Self.chart) { _ in true } }
        #expect(failure?.name == "forbidden")
        #expect(service.network.requests.count == 1)
    }

    @Test @LoopActor func anOpenWithoutAnAddressIsNotUnderstood() async throws {
        let service = Service()
        service.network.route(.post, Self.open, #"{"data":{"type":"AttachmentActivity","id":"1","attributes":{"attachment_url":null}}}"#)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.download(Self.chart) { _ in true } }
        #expect(failure?.name == "notUnderstood")
    }

    @Test @LoopActor func aSinkThatHasEnoughEndsIt() async throws {
        let service = service(file: HTTPResponse(status: 200, body: [1, 2, 3]))
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.download(Self.chart) { _ in false } }
        #expect(failure?.name == "refused")
    }
}
