import LocalHTTP
import Model
import Platform
import Synchronization

/// The shared part of the stand-in's two servers: the state and the answers from it, behind one lock.
final class DemoBackend: Sendable {
    struct Inner: Sendable {
        var state: DemoState
        /// How it was before the latest edits.
        var former: [DemoState] = []
        var statistics = DemoStatistics()
        var window = RateWindow()
        var limit: RateLimit
        var servesAnnotations: Bool
        /// By the signatures in the addresses.
        var grants: [String: Grant] = [:]
        var signIns = SignIns()
        var faults = FaultSwitches()
        /// Attachments of which the first half was sent before they were replaced.
        var torn: Set<String> = []
        /// The addresses of the servers, once they are listening.
        var root = ""
        var fileRoot = ""
    }

    let inner: Mutex<Inner>
    /// The secret in the control path. Only those who may edit are told: neither a page elsewhere nor another user of this machine is.
    let key = Secret.random()
    let onEdit: @Sendable (String) -> Void
    private let clock: @Sendable () -> Duration

    init(
        clock: @escaping @Sendable () -> Duration, limit: RateLimit, servesAnnotations: Bool, load: DemoLoad? = nil,
        secondsFromUTC: Int? = nil, onEdit: @escaping @Sendable (String) -> Void
    ) {
        (self.clock, self.onEdit) = (clock, onEdit)
        let now = Stamp(seconds: Int(clock().components.seconds))
        let offset = secondsFromUTC ?? DemoState.zone.secondsFromUTC
        let state = load.map { DemoState.loaded($0, now: now) } ?? .initial(now: now, secondsFromUTC: offset)
        inner = Mutex(Inner(state: state, limit: limit, servesAnnotations: servesAnnotations))
    }

    var now: Stamp { Stamp(seconds: Int(clock().components.seconds)) }

    /// Answers the API server's requests: for the API, the annotations and the control path.
    func answerAPI(_ request: WebRequest) -> WebReply {
        let segments = request.segments
        if segments.first == "control" {
            // If a page makes a browser send an edit, the browser always says where the page is from.
            guard segments.count > 1, key.isSame(as: segments[1]), request.header("Origin") == nil else {
                return .text(status: 403, "Use 'woodshed demo edit' to make edits.\n")
            }
            return control(request, Array(segments.dropFirst(2)))
        }
        let now = now
        return inner.withLock { inner in
            inner.statistics.requests += 1
            inner.statistics.byRoute[DemoStatistics.route(method: request.method, segments: segments), default: 0] += 1
            // A request that does not say which program sends it is rejected without a reason.
            if (request.header("User-Agent") ?? "").isEmpty { return WebReply(status: 403) }
            if segments.first == "oauth" { return inner.signIns.answer(request, Array(segments.dropFirst()), now: now) }
            guard Self.isAllowed(request) || inner.signIns.allow(request, now: now) else {
                return .text(status: 401, "HTTP Basic: Access denied.\n")
            }
            if let wait = inner.window.take(inner.limit, now: now) {
                inner.statistics.overLimit += 1
                var reply = WebReply.tooMany(inner.window, inner.limit, retryAfter: wait)
                reply.headers += inner.window.headers(inner.limit)
                return reply
            }
            let fault = inner.faults.take(DemoRoute(method: request.method, segments: segments))
            if fault != nil { inner.statistics.faults += 1 }
            if let reply = fault?.reply(elsewhere: inner.fileRoot) { return reply }
            // A fault needs a full answer to spoil, so a 304 is not allowed.
            let request = fault == nil ? request : request.without(header: "If-None-Match")
            var reply = Self.answer(request, segments, &inner, now: now)
            if reply.status == 200, request.method == "GET", !reply.headers.contains(where: { $0.name == "ETag" }) {
                reply = reply.withETag("W/\"\(SHA256.digest(of: reply.body).shortHex)\"", for: request)
            }
            if reply.status == 304 { inner.statistics.unchanged += 1 }
            reply.headers += inner.window.headers(inner.limit)
            return fault?.spoil(reply, link: inner.root + request.target(), elsewhere: inner.fileRoot) ?? reply
        }
    }

    private static func answer(_ request: WebRequest, _ segments: [String], _ inner: inout Inner, now: Stamp) -> WebReply {
        if segments.starts(with: ["annotations", "v1"]) {
            guard inner.servesAnnotations else { return .notFound }
            return annotations(request, Array(segments.dropFirst(2)), &inner, now: now)
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

/// A signed address's access to one attachment, until it expires.
struct Grant: Sendable {
    let attachment: String
    let expires: Stamp
    /// True if the address redirects to a second one, as for charts that are made on demand.
    let redirects: Bool
}

/// The faults that are switched on, by route.
struct FaultSwitches: Sendable {
    private struct Switch {
        let fault: DemoFault
        /// For how many more requests; `nil` until it is switched off.
        var left: Int?
    }

    private var switches: [DemoRoute: Switch] = [:]

    mutating func set(_ fault: DemoFault?, on route: DemoRoute, times: Int?) {
        switches[route] = fault.map { Switch(fault: $0, left: times.map { max(0, $0) }) }
    }

    mutating func take(_ route: DemoRoute?) -> DemoFault? {
        guard let route, let found = switches[route] else { return nil }
        guard let left = found.left else { return found.fault }
        switches[route]?.left = left - 1
        if left <= 1 { switches[route] = nil }
        return left > 0 ? found.fault : nil
    }
}

/// How many requests a user may make in a period; the service's own limit is 100 in 20 seconds.
public struct RateLimit: Sendable, Hashable {
    public var requests: Int
    public var seconds: Int

    /// Makes a limit; by default the real service's.
    public init(requests: Int = 100, seconds: Int = 20) { (self.requests, self.seconds) = (requests, seconds) }

    /// A limit that no test or first sync can reach.
    public static let generous = RateLimit(requests: 1_000_000, seconds: 20)
}

struct RateWindow: Sendable {
    private var start = Stamp(seconds: .min / 2)
    private(set) var count = 0

    /// Counts a request; returns how many seconds to wait if it is one too many.
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
