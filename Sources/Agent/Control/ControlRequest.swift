import LocalHTTP

/// What somebody asks of the agent.
public struct ControlRequest: Sendable {
    private let request: WebRequest

    init(_ request: WebRequest) {
        self.request = request
    }

    /// What came with a POST.
    public var body: [UInt8] { request.body }

    /// The first value of a query parameter.
    public func parameter(_ name: String) -> String? { request.parameter(name) }
}

/// What the agent answers: JSON.
public struct ControlReply: Sendable {
    public var status: Int
    public var json: [UInt8]

    /// Makes an answer; `{}` when there is nothing to say.
    public init(status: Int = 200, json: [UInt8] = Array("{}".utf8)) {
        self.status = status
        self.json = json
    }

    var webReply: WebReply {
        WebReply(
            status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: json + Array("\n".utf8))
    }
}

/// What the agent does not do, and why, in a sentence for people.
public struct ControlRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Int
    public let description: String

    /// Makes a refusal with an HTTP status of 400 or more.
    public init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }

    /// The sentence as plain text: who shows it needs nothing to read it with.
    var reply: WebReply { .text(status: status, description + "\n") }
}
