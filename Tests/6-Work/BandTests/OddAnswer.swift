import BandLayout
import Model
import Platform
import TestSupport

/// The wrong answers that a server, or a network in front of the server, may give. Unless a case states otherwise, the request is not
/// carried out.
enum OddAnswer: String, CaseIterable {
    case wrongBody, empty, logInPage, otherBand
    case here, elsewhere
    case unauthorised, forbidden, missing, conflict, changed, locked, tooMany, fault, busy
    /// The server carries out the request, and answers in pieces or with another tag.
    case chunked, wrongTag
    /// The server carries out the request, but only half of the answer, or nothing, arrives in time.
    case cut, byTheByte
    case endless

    static let other = BandMarker(id: BandDevice("otherotherothero"), name: "Other")
    /// The pause that an answer with status 429 or 503 requests.
    static let rest: Duration = .seconds(600)
    var asksForRest: Bool { self == .tooMany || self == .busy }

    /// The answer; `nil` if the server gives its usual one.
    func response(_ request: HTTPRequest, from server: () -> HTTPResponse) throws(HTTPFailure) -> HTTPResponse? {
        func answer(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> HTTPResponse {
            HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        }
        let wait = ["retry-after": "\(Self.rest.components.seconds)"]
        switch self {
        case .wrongBody: return answer(200, [:], "}{ not what it was")
        case .empty: return answer(200)
        case .logInPage: return answer(200, ["content-type": "text/html"], "<!DOCTYPE html><title>Welcome</title>")
        case .otherBand: return HTTPResponse(status: 200, body: Self.other.bytes)
        case .here:
            if request.method == .get { throw HTTPFailure(.refused, "example.org redirects more than 5 times") }
            return answer(301, ["location": request.url])
        case .elsewhere:
            if request.method == .get { throw HTTPFailure(.ledAway, "example.org points to login.example.com") }
            return answer(302, ["location": "https://login.example.com/"])
        case .unauthorised: return answer(401)
        case .forbidden: return answer(403)
        case .missing: return answer(404)
        case .conflict: return answer(409)
        case .changed: return answer(412)
        case .locked: return answer(423)
        case .tooMany: return answer(429, wait)
        case .fault: return answer(500)
        case .busy: return answer(503, wait)
        case .chunked:
            let real = server()
            return HTTPResponse(status: real.status, headers: real.headers.filter { $0.key != "content-length" }, body: real.body)
        case .wrongTag:
            let real = server()
            return HTTPResponse(
                status: real.status, headers: real.headers.merging(["etag": "\"always\""]) { $1 }, body: real.body)
        case .cut, .byTheByte:
            _ = server()
            throw HTTPFailure(.interrupted, "example.org: the connection broke")
        case .endless: throw HTTPFailure(.tooLarge, "example.org sends more than allowed")
        }
    }
}
