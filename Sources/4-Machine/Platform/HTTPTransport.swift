/// The interface to the network; tests replace it with a simulated network.
@LoopActor
public protocol HTTPTransport: AnyObject {
    /// Sends a request and collects the answer's body in memory. Returns answers with any status; throws only if no complete answer came,
    /// or if the answer could not be accepted (`HTTPFailure.Kind`).
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    /// Sends a request and passes the body of a 2xx answer to `sink` in pieces; the body of any other answer is collected in memory.
    ///
    /// `sink` returns whether to continue; `false` ends the transfer with `HTTPFailure.Kind.refused`.
    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse
}

public struct HTTPRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
        /// Creates a folder, on servers that have folders.
        case makeFolder = "MKCOL"

        /// Whether the request has a body, which may be empty.
        public var hasBody: Bool { self == .post || self == .put }
    }

    public var method: Method
    public var url: String
    /// Names and values; each name occurs at most once.
    public var headers: [(name: String, value: String)]
    /// Sent with a POST or a PUT.
    public var body: [UInt8]
    /// The credentials; sent only to this request's host.
    public var credentials: Secret?
    /// If set, a signature made with the credentials is sent instead of them, as S3 requires.
    public var signature: HTTPSignature?
    /// The request fails if the body of a 2xx answer has more bytes than this after decompression.
    public var maximumBytes: Int
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// How long the transfer may nearly stand still, including the wait for the first byte; `nil` for the transport's own limit.
    public var patience: Duration?
    /// The rate, in bytes per second, below which the transfer counts as standing still, if there is a `patience`.
    public static let crawl = 1000
    /// Whether the host of the request, and of each redirect, may be this machine or one on its own network. Set it to `false` for
    /// addresses that somebody else provided.
    public var allowsPrivateHosts = true
    /// Whether the answer must come from the request's own origin (scheme, host and port). A redirect within the origin is
    /// followed; one to another origin fails with `HTTPFailure.Kind.ledAway`.
    public var staysAtOrigin = false
    /// Whether plain http may be used if the host is an IP address of this machine or its own network. For messages that are not secret and
    /// whose signatures prove who sent them.
    public var isPlainAtHome = false
    /// Called before the first byte of a 2xx answer's body goes to a sink, with the status and headers; not called for an empty
    /// body. `false` ends the transfer, as `false` from the sink does.
    public var onHead: (@LoopActor (HTTPResponse) -> Bool)?

    /// Creates a request; by default, a GET for at most 16 MiB within a minute.
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
    /// The service's name for its location, such as `eu-central-1`.
    public let region: String
    public let service: String

    public init(region: String, service: String = "s3") { (self.region, self.service) = (region, service) }
}

public struct HTTPResponse: Sendable {
    public let status: Int
    /// Keyed by lower-case name; the last value of a repeated header.
    public let headers: [String: String]
    /// Empty if a sink received the body.
    public let body: [UInt8]
    /// Whether the answer came from this machine or from its own network.
    public let isFromPrivateHost: Bool

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], isFromPrivateHost: Bool = false) {
        (self.status, self.headers, self.body, self.isFromPrivateHost) = (status, headers, body, isFromPrivateHost)
    }
}

/// The failure of a request: no complete answer came, or the answer could not be accepted.
public struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that callers treat differently.
    public enum Kind: Hashable, Sendable {
        /// The host could not be found or reached: this machine is offline, or the host is down.
        case unreachable
        /// The exchange began, but broke off, stalled or took too long.
        case interrupted
        /// The request was given up for safety: the certificate is not trusted, or the host, scheme, address, a header or a redirect is
        /// not allowed, or no key could be read. Or the receiver of the body ended the transfer.
        case refused
        /// A redirect led to another origin, although the request `staysAtOrigin`.
        case ledAway
        case tooLarge
        case cancelled
    }

    public let kind: Kind
    /// The reason, without any secret or signed address.
    public let message: String

    public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    public var description: String { message }
}
