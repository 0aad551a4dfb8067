import DemoService
import LocalHTTP
import Model
import Platform
import Synchronization

/// Counts the requests to a stand-in, damages its responses, and accepts tokens from sign-ins with a browser.
final class StandInGate: DemoGate {
    struct Inner: Sendable {
        weak var service: DemoService?
        var statistics = DemoStatistics()
        var signIns = SignIns()
        var servesAnnotations: Bool
        var faults: [DemoRoute: Switch] = [:]
        /// Attachments that were replaced after their first half was sent.
        var torn: Set<String> = []

        /// The fault for this request, if one is switched on.
        mutating func fault(_ route: DemoRoute?) -> DemoFault? {
            guard let route, let fault = faults[route]?.fault else { return nil }
            faults[route]?.left -= 1
            if faults[route]?.left == 0 { faults[route] = nil }
            statistics.faults += 1
            return fault
        }
    }

    struct Switch: Sendable {
        let fault: DemoFault
        /// How many more requests get the fault.
        var left: Int
    }

    let inner: Mutex<Inner>
    private let clock: @Sendable () -> Duration

    init(clock: @escaping @Sendable () -> Duration, servesAnnotations: Bool) {
        self.clock = clock
        inner = Mutex(Inner(servesAnnotations: servesAnnotations))
    }

    private var seconds: Int { Int(clock().components.seconds) }

    func admits(_ request: WebRequest) -> Bool { inner.withLock { $0.signIns.allow(request, now: seconds) } }

    func answer(_ request: WebRequest, at host: DemoHost, by standIn: (WebRequest) -> WebReply) -> WebReply {
        switch host {
        case .api: answer(request, by: standIn)
        case .files: download(request, by: standIn)
        }
    }

    private func answer(_ request: WebRequest, by standIn: (WebRequest) -> WebReply) -> WebReply {
        let segments = request.segments
        inner.withLock {
            $0.statistics.requests += 1
            $0.statistics.byRoute[DemoStatistics.route(method: request.method, segments: segments), default: 0] += 1
        }
        if segments.first == "oauth" {
            return inner.withLock { $0.signIns.answer(request, Array(segments.dropFirst()), now: seconds) }
        }
        if segments.starts(with: ["annotations", "v1"]), !inner.withLock(\.servesAnnotations) { return WebReply(status: 404) }
        let isLetIn = request.header("Authorization") == "Basic " + Base64.encode(Array(DemoService.token.revealed.utf8)) || admits(request)
        let (fault, service) = inner.withLock { inner in
            (isLetIn ? inner.fault(DemoRoute(method: request.method, segments: segments)) : nil, inner.service)
        }
        let elsewhere = service?.fileRoot ?? ""
        if let reply = fault?.reply(elsewhere: elsewhere) { return reply }
        // A fault needs a full response to damage, so a 304 must be avoided.
        let reply = standIn(fault == nil ? request : request.without(header: "If-None-Match"))
        inner.withLock {
            if reply.status == 304 { $0.statistics.unchanged += 1 }
            if reply.status == 429 { $0.statistics.overLimit += 1 }
            if reply.status == 201, let id = segments.dropLast().last { $0.statistics.opens[id, default: 0] += 1 }
        }
        let root = service.map { $0.apiURL.dropLast("/services/v2".count) } ?? ""
        return fault?.spoil(reply, link: root + request.target(), elsewhere: elsewhere) ?? reply
    }

    private func download(_ request: WebRequest, by standIn: (WebRequest) -> WebReply) -> WebReply {
        if request.header("Authorization") != nil || request.header("Cookie") != nil {
            inner.withLock { $0.statistics.credentialsAtFiles += 1 }
        }
        var reply = standIn(request)
        guard [200, 206, 416].contains(reply.status), let id = request.segments.dropFirst().first else { return reply }
        let (fault, service) = inner.withLock { ($0.fault(.file), $0.service) }
        let root = service.map { String($0.apiURL.dropLast("/services/v2".count)) } ?? ""
        if let reply = fault?.reply(elsewhere: root) { return reply }
        inner.withLock {
            $0.statistics.downloads[id, default: 0] += 1
            $0.statistics.downloadsInFlight += 1
            $0.statistics.mostDownloadsInFlight = max($0.statistics.mostDownloadsInFlight, $0.statistics.downloadsInFlight)
        }
        reply.whenOver = { [self] in inner.withLock { $0.statistics.downloadsInFlight -= 1 } }
        if fault == .changedBetweenRanges, inner.withLock({ $0.torn.insert(id).inserted }) {
            _ = try? service?.edit(.replaceUnseen(attachment: id))
            return DemoFault.cutOff.spoil(reply, link: "", elsewhere: "")
        }
        return fault?.spoil(reply, link: "", elsewhere: "") ?? reply
    }
}
