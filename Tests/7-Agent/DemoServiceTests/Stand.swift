import DemoService
import Foundation
import Platform
import StandInSupport
import Synchronization
import TestSupport
import Testing

/// A stand-in on a Saturday, with a clock that the test moves.
final class Stand: Sendable {
    let service: StandIn
    private let told = Told()

    private final class Told: Sendable {
        let changes = Mutex<[String]>([])
    }

    /// Saturday 21 November 2026, noon.
    static let saturday = 1_795_262_400

    init(limit: RateLimit = .generous, annotations: Bool = true, at start: Int = saturday) throws {
        let box = Clock(start)
        let told = told
        service = try StandIn.start(
            limit: limit, servesAnnotations: annotations, clock: { .seconds(box.seconds.withLock { $0 }) },
            onEdit: { change in told.changes.withLock { $0.append(change) } })
        clock = box
    }

    private let clock: Clock

    private final class Clock: Sendable {
        let seconds: Mutex<Int>
        init(_ start: Int) { seconds = Mutex(start) }
    }

    func pass(_ seconds: Int) { clock.seconds.withLock { $0 += seconds } }

    var changes: [String] { told.changes.withLock { $0 } }

    static let authorization = ("Authorization", "Basic " + Data(DemoService.token.revealed.utf8).base64EncodedString())

    /// A request as a well-behaved client sends it.
    func api(_ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: String = "") throws -> HTTPProbe.Reply {
        try HTTPProbe.send(
            method, service.apiURL + path, headers: [("User-Agent", "probe"), Self.authorization] + headers, body: Array(body.utf8))
    }

    func annotations(_ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: String = "") throws
        -> HTTPProbe.Reply
    {
        try HTTPProbe.send(
            method, service.annotationsURL + path, headers: [("User-Agent", "probe"), Self.authorization] + headers, body: Array(body.utf8))
    }

    /// Sends an edit over the control path.
    func edit(_ json: String) throws -> HTTPProbe.Reply {
        try HTTPProbe.send("POST", service.controlURL + "/edit", body: Array(json.utf8))
    }

    /// The signed address of an attachment.
    func open(_ id: String) throws -> String {
        let reply = try api("POST", "/attachments/\(id)/open")
        return try #require(reply.json["data"]["attributes"]["attachment_url"].text)
    }

    /// An attachment, in any plan, whose file name begins with `prefix`.
    func attachment(_ prefix: String) throws -> Answer {
        let plans = ["501001/plans/67810002", "501001/plans/67810003", "501002/plans/67820001"]
        for plan in plans {
            let all = try api("GET", "/service_types/\(plan)/all_attachments?per_page=100").json["data"].list
            if let found = all.first(where: { $0["attributes"]["filename"].text?.hasPrefix(prefix) == true }) { return found }
        }
        return try #require(nil as Answer?, "no attachment \(prefix)")
    }
}

/// Parsed JSON whose accessors do not throw.
struct Answer {
    let value: Any?

    subscript(_ name: String) -> Answer { Answer(value: (value as? [String: Any])?[name]) }
    var text: String? { value as? String }
    var number: Int? { value as? Int }
    var list: [Answer] { (value as? [Any] ?? []).map { Answer(value: $0) } }
    var isNull: Bool { value is NSNull }
    var isMissing: Bool { value == nil }
    var id: String { self["id"].text ?? "" }
}

extension HTTPProbe.Reply {
    var json: Answer { Answer(value: try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) }
}
