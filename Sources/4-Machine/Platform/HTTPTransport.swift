/// The network, as all code that uses it sees it; tests put a simulated one in its place.
@LoopActor
public protocol HTTPTransport: AnyObject {
    /// Sends a request and collects the answer's body in memory. Any status is an answer; only a failed exchange throws.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    /// Sends a request and hands a 2xx answer's body to `sink` piece by piece; other bodies are collected as by `send`.
    ///
    /// `sink` returns whether it wants more; `false` ends the transfer with `HTTPFailure.Kind.refused`.
    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse
}

public struct HTTPRequest: Sendable {
    /// The verbs we use.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
        /// Makes a folder, where a server has any.
        case makeFolder = "MKCOL"

        /// Whether it sends a body, though that may be empty.
        public var hasBody: Bool { self == .post || self == .put }
    }

    public var method: Method
    public var url: String
    /// Names and values; each name comes at most once.
    public var headers: [(name: String, value: String)]
    /// Sent with a POST or a PUT.
    public var body: [UInt8]
    /// Proof of who is asking; sent to this request's host and to no other.
    public var credentials: Secret?
    /// With this, the credentials themselves are not sent, but a signature made with them, as S3 wants it.
    public var signature: HTTPSignature?
    /// If the answer has more than this many bytes, counted after decompression, the request fails.
    public var maximumBytes: Int
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// How long next to nothing may be sent or received, the first answer included; `nil` for the transport's own limit.
    public var patience: Duration?
    /// Fewer bytes in a second count as next to nothing, if there is a `patience`.
    public static let crawl = 1000
    /// Whether the host may be this machine or on its own network. An address from somebody else must not lead there; this applies to every
    /// redirect on the way as well.
    public var allowsPrivateHosts = true
    /// Whether only an answer from the request's own origin (scheme, host and port) counts: a redirect within it is followed, one
    /// that leads away from it fails the request with `HTTPFailure.Kind.ledAway`.
    public var staysAtOrigin = false
    /// Gets the status and headers of a 2xx answer whose body goes to a sink, before its first byte, if it has any; `false` ends the
    /// transfer, just as `false` from the sink does.
    public var onHead: (@LoopActor (HTTPResponse) -> Bool)?

    /// Makes a request; by default a GET of at most 16 MiB in a minute.
    public init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        credentials: Secret? = nil,
        maximumBytes: Int = 16 << 20, timeout: Duration = .seconds(60)
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.credentials, self.maximumBytes, self.timeout) = (credentials, maximumBytes, timeout)
    }
}

/// The region and service that a request is signed for.
public struct HTTPSignature: Hashable, Sendable {
    /// The service's name for its place, as in `eu-central-1`.
    public let region: String
    public let service: String

    public init(region: String, service: String = "s3") { (self.region, self.service) = (region, service) }
}

public struct HTTPResponse: Sendable {
    public let status: Int
    /// By lower-case name; if a header is repeated, its last value.
    public let headers: [String: String]
    /// Empty if a sink took it.
    public let body: [UInt8]
    /// Whether it came from this machine or from its own network.
    public let isFromPrivateHost: Bool

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], isFromPrivateHost: Bool = false) {
        (self.status, self.headers, self.body, self.isFromPrivateHost) = (status, headers, body, isFromPrivateHost)
    }
}

/// An exchange that did not end in an answer.
public struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, as far as it matters for what to do next.
    public enum Kind: Hashable, Sendable {
        /// The host could not be found or reached: we are offline, or it is down.
        case unreachable
        /// It began, but broke off, stalled or took too long.
        case interrupted
        /// The other side cannot be trusted, or asks for something unsupported (certificate, scheme, redirect).
        case refused
        /// It points to another origin, whose answer would not count.
        case ledAway
        case tooLarge
        case cancelled
    }

    public let kind: Kind
    /// What happened, without any secret or signed address.
    public let message: String

    public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    public var description: String { message }
}
