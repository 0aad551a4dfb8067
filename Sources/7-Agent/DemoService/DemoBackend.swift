package import LocalHTTP
import Model
import Platform
import Synchronization

/// The part that the stand-in's two servers share: the state, and the answers from it, behind one lock.
final class DemoBackend: Sendable {
    struct Inner: Sendable {
        var state: DemoState
        var window = RateWindow()
        let limit: RateLimit
        /// The granted accesses, by the signature in their address.
        var grants: [String: Grant] = [:]
        /// The servers' addresses, set once they listen.
        var root = ""
        var fileRoot = ""
    }

    let inner: Mutex<Inner>
    /// The secret in the control path, given only to those who may edit: not to web pages or other users of this machine.
    let key = Secret.random()
    let onEdit: @Sendable (String) -> Void
    private let clock: @Sendable () -> Duration
    private let gate: (any DemoGate)?

    init(
        clock: @escaping @Sendable () -> Duration, limit: RateLimit, load: DemoLoad? = nil, secondsFromUTC: Int? = nil,
        gate: (any DemoGate)? = nil, onEdit: @escaping @Sendable (String) -> Void
    ) {
        (self.clock, self.gate, self.onEdit) = (clock, gate, onEdit)
        let now = Stamp(seconds: Int(clock().components.seconds))
        let offset = secondsFromUTC ?? DemoState.zone.secondsFromUTC
        let state = load.map { DemoState.loaded($0, now: now) } ?? .initial(now: now, secondsFromUTC: offset)
        inner = Mutex(Inner(state: state, limit: limit))
    }

    var now: Stamp { Stamp(seconds: Int(clock().components.seconds)) }

    /// Answers the API server's requests: API, annotations and control path.
    func answerAPI(_ request: WebRequest) -> WebReply {
        let segments = request.segments
        if segments.first == "control" {
            // Refuse edits that a web page makes a browser send: the browser always includes the page's origin.
            guard segments.count > 1, key.isSame(as: segments[1]), request.header("Origin") == nil else {
                return .text(status: 403, "Use 'woodshed demo edit' to make edits.\n")
            }
            return control(request, Array(segments.dropFirst(2)))
        }
        // Like the service, reject requests without a User-Agent, and give no reason.
        let answer = { [self] request in (request.header("User-Agent") ?? "").isEmpty ? WebReply(status: 403) : self.answer(request) }
        return gate?.answer(request, at: .api, by: answer) ?? answer(request)
    }

    /// Answers the file server's requests.
    func answerFile(_ request: WebRequest) -> WebReply {
        gate?.answer(request, at: .files, by: file) ?? file(request)
    }

    private func answer(_ request: WebRequest) -> WebReply {
        let (now, segments) = (now, request.segments)
        return inner.withLock { inner in
            guard Self.isAllowed(request) || gate?.admits(request) == true else {
                return .text(status: 401, "HTTP Basic: Access denied.\n")
            }
            if let wait = inner.window.take(inner.limit, now: now) {
                var reply = WebReply.tooMany(inner.window, inner.limit, retryAfter: wait)
                reply.headers += inner.window.headers(inner.limit)
                return reply
            }
            var reply = Self.answer(request, segments, &inner, now: now)
            if reply.status == 200, request.method == "GET", !reply.headers.contains(where: { $0.name == "ETag" }) {
                reply = reply.withETag("W/\"\(SHA256.digest(of: reply.body).shortHex)\"", for: request)
            }
            reply.headers += inner.window.headers(inner.limit)
            return reply
        }
    }

    private static func answer(_ request: WebRequest, _ segments: [String], _ inner: inout Inner, now: Stamp) -> WebReply {
        if segments.starts(with: ["annotations", "v1"]) {
            return annotations(request, Array(segments.dropFirst(2)), inner, now: now)
        }
        if segments == ["current", "v2", "me"] {
            return APICall(request: request, path: [], state: inner.state, now: now, root: inner.root).holder()
        }
        guard segments.starts(with: ["services", "v2"]) else { return .notFound }
        let path = Array(segments.dropFirst(2))
        if request.method == "POST", path.count == 3, path[0] == "attachments", path[2] == "open" {
            return open(path[1], &inner, now: now)
        }
        return APICall(request: request, path: path, state: inner.state, now: now, root: inner.root).answer()
    }

    private static func isAllowed(_ request: WebRequest) -> Bool {
        request.header("Authorization") == "Basic " + Base64.encode(Array(DemoService.token.revealed.utf8))
    }
}

/// The access to one attachment by a signed address, until it expires.
struct Grant: Sendable {
    let attachment: String
    let expires: Stamp
    /// Whether the address redirects to a second one, as for charts made on demand.
    let redirects: Bool
}

/// Goes between the stand-in and its clients in tests and measurements; the demo has none.
package protocol DemoGate: Sendable {
    /// Whether to accept a request without the token.
    func admits(_ request: WebRequest) -> Bool

    /// Answers in place of the stand-in, or calls `standIn` as often as needed.
    func answer(_ request: WebRequest, at host: DemoHost, by standIn: (WebRequest) -> WebReply) -> WebReply
}

/// The two servers of a stand-in.
package enum DemoHost: Sendable { case api, files }

/// How many requests a user may make in a period; the service's own limit is 100 in 20 seconds.
package struct RateLimit: Sendable, Hashable {
    package let requests: Int
    package let seconds: Int

    /// Creates a limit, by default the real service's.
    package init(requests: Int = 100, seconds: Int = 20) { (self.requests, self.seconds) = (requests, seconds) }

    /// A limit that no test or first sync can reach.
    package static let generous = RateLimit(requests: 1_000_000, seconds: 20)
}

struct RateWindow: Sendable {
    private var start = Stamp(seconds: .min / 2)
    private(set) var count = 0

    /// Counts a request. Returns the seconds to wait, at least 1, if it exceeds the limit, otherwise `nil`.
    mutating func take(_ limit: RateLimit, now: Stamp) -> Int? {
        if now.seconds - start.seconds >= limit.seconds || now < start {
            start = now
            count = 0
        }
        count += 1
        return count > limit.requests ? max(1, start.seconds + limit.seconds - now.seconds) : nil
    }

    func headers(_ limit: RateLimit) -> [(name: String, value: String)] {
        [
            ("X-PCO-API-Request-Rate-Limit", String(limit.requests)),
            ("X-PCO-API-Request-Rate-Period", "\(limit.seconds) seconds"),
            ("X-PCO-API-Request-Rate-Count", String(count)),
        ]
    }
}
