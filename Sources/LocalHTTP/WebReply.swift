/// The answer to one request. To a HEAD the body is counted, not sent.
public struct WebReply: Sendable {
    public var status: Int
    /// Sent in this order; `Content-Length`, `Date` and `Connection` are added by the server.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// How the body goes out; whole, unless someone wants to see what a client makes of less.
    public var delivery: Delivery
    /// Called once when the exchange is over, however it ended; on the server's thread.
    public var whenOver: (@Sendable () -> Void)?

    /// Makes an answer.
    public init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = [], delivery: Delivery = .whole,
        whenOver: (@Sendable () -> Void)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delivery = delivery
        self.whenOver = whenOver
    }

    /// An answer in plain text.
    public static func text(status: Int = 200, _ text: String) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }
}
