import JSON
import LocalHTTP

/// A request to the agent.
public struct ControlRequest: Sendable {
    private let request: WebRequest

    init(_ request: WebRequest) { self.request = request }

    public var body: [UInt8] { request.body }

    public func parameter(_ name: String) -> String? { request.parameter(name) }

    /// A query parameter that is a whole number; `nil` if it is missing. Throws if it is anything but a whole number in the range.
    public func number(_ name: String, in range: ClosedRange<Int>) throws(ControlRefusal) -> Int? {
        guard let text = parameter(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ControlRefusal(400, "'\(name)' takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

public struct ControlReply: Sendable {
    public var status: Int
    public var json: [UInt8]

    /// Creates an answer, by default `{}`.
    public init(status: Int = 200, json: [UInt8] = Array("{}".utf8)) { (self.status, self.json) = (status, json) }

    /// The media type of an answer in lines. Each line but the last is the progress of the work (`ControlProgress`); the last line
    /// is the answer or a refusal (`ControlRefusal`).
    public static let lines = "application/x-ndjson"
}

enum ControlOutcome: Sendable {
    case answered(ControlReply)
    /// A refusal. If the method was wrong, `allowing` lists the methods that are accepted.
    case refused(ControlRefusal, allowing: [String] = [])

    /// The form for a single, plain answer.
    var webReply: WebReply {
        switch self {
        case .answered(let reply):
            return WebReply(
                status: reply.status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: reply.json + Array("\n".utf8))
        case .refused(let refusal, let methods):
            var reply = WebReply.text(status: refusal.status, refusal.description + "\n")
            if !methods.isEmpty { reply.headers.append(("Allow", methods.joined(separator: ", "))) }
            return reply
        }
    }

    /// The form for the last line of an answer in lines.
    var line: [UInt8] {
        switch self {
        case .answered(let reply): reply.json
        case .refused(let refusal, _): refusal.json
        }
    }
}

/// The reason why the agent refuses a request, in a sentence for people.
public struct ControlRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Int
    public let description: String

    public init(_ status: Int, _ description: String) { (self.status, self.description) = (status, description) }
}

/// The progress of work that a caller is waiting for.
public struct ControlProgress: Codable, Hashable, Sendable {
    /// The present progress of all of the agent's work; `nil` if unknown.
    public var progress: Progress?

    public init(_ progress: Progress? = nil) { self.progress = progress }

    /// The JSON, on one line.
    var json: [UInt8] { (try? JSONWriter.encode(self)) ?? Array("{}".utf8) }

    public init?(line: [UInt8]) {
        guard let progress = try? JSONReader.decode(Self.self, from: line) else { return nil }
        self = progress
    }
}

extension ControlRefusal {
    private struct Line: Codable {
        struct Refusal: Codable {
            var status: Int
            var reason: String
        }
        var refused: Refusal
    }

    /// The JSON, on one line, for a refusal after the status was sent.
    var json: [UInt8] { (try? JSONWriter.encode(Line(refused: .init(status: status, reason: description)))) ?? [] }

    /// Reads the last line of an answer; `nil` if it is not a refusal.
    public init?(line: [UInt8]) {
        guard let line = try? JSONReader.decode(Line.self, from: line) else { return nil }
        self.init(line.refused.status, line.refused.reason)
    }
}
