public import Platform

/// A network whose responses a test defines. It records all requests.
@LoopActor
public final class SimulatedNetwork: HTTPTransport {
    /// Responds to one request.
    public typealias Answer = @LoopActor (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    /// All requests received, in order.
    public private(set) var requests: [HTTPRequest] = []
    /// If set, every request fails with this failure.
    public var failure: HTTPFailure?
    /// Called before each response. Returns the failure of the exchange, or nil.
    public var intercept: (@LoopActor (HTTPRequest) -> HTTPFailure?)?
    /// How long every response takes, measured on `time`.
    public var delay: Duration?
    /// The size of the pieces passed to a sink.
    public var pieceSize = 16384
    /// The number of bytes after which each of the next responses to a sink breaks off. A response with `nil` is complete.
    public var breaks: [Int?] = []
    private let time: (any TimeKeeper)?
    private var routes: [(matches: @LoopActor (HTTPRequest) -> Bool, answer: Answer)] = []
    private let otherwise: Answer?

    /// Creates a network. Requests without a route go to `otherwise`, or get a 404.
    public init(time: (any TimeKeeper)? = nil, otherwise: Answer? = nil) {
        self.time = time
        self.otherwise = otherwise
    }

    /// Adds a route for requests of `method` to exactly `url`. Later routes take precedence over earlier ones.
    public func route(_ method: HTTPRequest.Method = .get, _ url: String, _ answer: @escaping Answer) {
        routes.insert(({ $0.method == method && $0.url == url }, answer), at: 0)
    }

    /// Always sends the same response to requests of `method` to exactly `url`.
    public func route(
        _ method: HTTPRequest.Method = .get, _ url: String, status: Int = 200, headers: [String: String] = [:], _ body: String
    ) {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        route(method, url) { (_) throws(HTTPFailure) in response }
    }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        // The recorded copy has no `onHead`: the closure would keep the caller alive, and through the caller this network.
        var remembered = request
        remembered.onHead = nil
        requests.append(remembered)
        if let delay, let time {
            do {
                try await time.sleep(for: delay)
            } catch {
                throw HTTPFailure(.cancelled, "cancelled")
            }
        }
        if let failure = failure ?? intercept?(request) { throw failure }
        let answer = routes.first { $0.matches(request) }?.answer ?? otherwise
        guard let answer else { return HTTPResponse(status: 404) }
        let response = try await answer(request)
        if request.method == .get, (301...308).contains(response.status), let location = response.headers["location"] {
            let isElsewhere = location.prefix { $0 != "?" }.split(separator: "/").prefix(2) != request.url.split(separator: "/").prefix(2)
            if request.staysAtOrigin, isElsewhere { throw HTTPFailure(.ledAway, "the service points to another host") }
            var next = request
            next.url = location
            return try await send(next)
        }
        guard response.body.count <= request.maximumBytes || !(200..<300).contains(response.status) else {
            throw HTTPFailure(.tooLarge, "too large")
        }
        return response
    }

    public func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        let response = try await send(request)
        guard (200..<300).contains(response.status) else { return response }
        let head = HTTPResponse(
            status: response.status, headers: response.headers, isFromPrivateHost: response.isFromPrivateHost)
        guard response.body.isEmpty || request.onHead?(head) ?? true else { throw HTTPFailure(.refused, "not needed") }
        let end = breaks.isEmpty ? nil : breaks.removeFirst()
        var rest = response.body.prefix(end ?? .max)
        while !rest.isEmpty {
            let piece = rest.prefix(pieceSize)
            guard piece.withUnsafeBytes({ sink($0) }) else { throw HTTPFailure(.refused, "not needed") }
            rest = rest.dropFirst(piece.count)
        }
        if end != nil { throw HTTPFailure(.interrupted, "broken off") }
        return head
    }
}
