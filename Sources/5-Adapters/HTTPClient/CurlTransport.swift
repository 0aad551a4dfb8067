import CCurl
public import Platform

/// HTTP through libcurl, driven by the loop. It needs no thread, and nothing wakes up while no transfer is running.
///
/// Only https is used. Plain http is allowed only to this machine, and only if the caller permits it. Redirects of a GET are
/// followed by our own code, and credentials are sent only to the request's own origin.
@LoopActor
public final class CurlTransport: HTTPTransport {
    let userAgent: String
    let certificateAuthority: String?
    let unixSocket: String?
    let limits: CurlLimits
    private let allowsInsecureLoopback: Bool
    private let time: any TimeKeeper
    private let sockets: CurlSockets
    private var waiting: [Transfer] = []
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    private var isClosed = false

    /// Makes a transport; `close()` ends it.
    ///
    /// `certificateAuthority` is a PEM file to trust instead of the system's. `allowsInsecureLoopback` permits plain
    /// http to 127.0.0.0/8, ::1 and localhost. With a `unixSocket`, everything is sent to the program that listens there.
    public init(
        userAgent: String, allowsInsecureLoopback: Bool = false, certificateAuthority: String? = nil,
        unixSocket: String? = nil, limits: CurlLimits = CurlLimits(), time: any TimeKeeper = SystemClock()
    ) {
        (self.userAgent, self.allowsInsecureLoopback, self.certificateAuthority) = (userAgent, allowsInsecureLoopback, certificateAuthority)
        (self.unixSocket, self.limits, self.time) = (unixSocket, limits, time)
        sockets = CurlSockets(time: time, connectionsPerHost: limits.transfersPerHost)
        sockets.onEnd = { [weak self] easy, code in self?.ended(easy, code) }
    }

    isolated deinit {
        // A caller that waits for a transfer keeps the transport alive, so no transfer can be running here.
        sockets.close()
    }

    /// Cancels everything under way with `HTTPFailure.Kind.cancelled`, and closes all connections. Later requests are cancelled, too.
    public func close() {
        // If a sink calls this, libcurl is calling that sink, and must return first.
        guard !sockets.isAtWork else {
            spawn { [self] in close() }
            return
        }
        guard !isClosed else { return }
        isClosed = true
        let closed = HTTPFailure(.cancelled, "the program is shutting down")
        for transfer in waiting { transfer.finish(.failure(closed)) }
        waiting = []
        for (easy, transfer) in running {
            sockets.remove(easy)
            transfer.finish(.failure(closed))
        }
        running = [:]
        sockets.close()
    }

    /// True if no transfer is left, and libcurl waits for no socket and no timer. Idle connections do not count.
    var isIdle: Bool { sockets.isIdle && running.isEmpty && waiting.isEmpty }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { try await follow(request, sink: nil) }

    public func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse { try await follow(request, sink: sink) }

    private func follow(_ request: HTTPRequest, sink: Transfer.Sink?) async throws(HTTPFailure) -> HTTPResponse {
        let begin = time.now
        let deadline = begin + request.timeout
        let first = try Self.address(request.url)
        var target = first
        var allowsPrivateHosts = request.allowsPrivateHosts
        for _ in 0...limits.redirects {
            try check(target, of: request)
            var hop = request
            hop.timeout = deadline - time.now
            // The time spent on earlier redirects counts, because nothing useful has arrived yet.
            hop.patience = request.patience.map { max($0 - (time.now - begin), .zero) }
            hop.allowsPrivateHosts = allowsPrivateHosts
            if target.origin != first.origin { hop.dropSecrets() }
            let response = try await perform(Transfer(hop, to: target, sink: sink))
            guard request.method == .get, [301, 302, 303, 307, 308].contains(response.status),
                let location = response.headers["location"]
            else { return response }
            let next = try Self.address(location, from: target)
            guard next.origin == first.origin || !request.staysAtOrigin else { throw Self.ledAway(from: first, to: next) }
            guard next.scheme == "https" || target.scheme == "http" else {
                throw HTTPFailure(.refused, "\(target.host) redirects from https to plain http, which is not followed")
            }
            // A host on the internet must not send us to hosts that only we can reach.
            if !response.isFromPrivateHost, next.origin != target.origin { allowsPrivateHosts = false }
            target = next
        }
        throw HTTPFailure(.refused, "\(first.host) redirects more than \(limits.redirects) times")
    }

    /// Parses the address of a request, or of a redirect, which may be relative to `base`.
    private static func address(_ text: String, from base: WebAddress? = nil) throws(HTTPFailure) -> WebAddress {
        do throws(WebAddress.Fault) {
            return try WebAddress(text, base == nil ? [] : .encoded, from: base)
        } catch {
            throw HTTPFailure(.refused, "the address in a \(base == nil ? "request" : "redirect") is not used: \(error)")
        }
    }

    /// The failure for a redirect to another origin. The message names only the part of the origin that differs.
    private static func ledAway(from first: WebAddress, to other: WebAddress) -> HTTPFailure {
        let place =
            other.host != first.host
            ? other.host : other.scheme != first.scheme ? "\(other.scheme)://\(first.host)" : "port \(other.port) of the same host"
        return HTTPFailure(.ledAway, "\(first.host) points to \(place)")
    }

    private func check(_ target: WebAddress, of request: HTTPRequest) throws(HTTPFailure) {
        guard target.scheme == "http" else { return }
        if request.isPlainAtHome, NetworkAddress(target.host)?.isPrivate == true { return }
        guard allowsInsecureLoopback else {
            throw HTTPFailure(.refused, "plain http is not used; the address of \(target.host) must begin with https")
        }
        guard target.isLoopback else { throw HTTPFailure(.refused, "plain http is used only for this machine, not for \(target.host)") }
    }

    private func perform(_ transfer: Transfer) async throws(HTTPFailure) -> HTTPResponse {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                if Task.isCancelled || isClosed {
                    transfer.finish(.failure(.cancelled))
                } else {
                    waiting.append(transfer)
                    startWaiting()
                }
            }
        } onCancel: {
            spawn { [self] in cancel(transfer) }
        }
        return try result.get()
    }

    private func cancel(_ transfer: Transfer) { end(transfer, with: .cancelled) }

    /// Ends a transfer that stands still for longer than its request has patience.
    private func watch(_ transfer: Transfer) {
        guard let patience = transfer.request.patience else { return }
        let standstill = Standstill(time, patience: patience) { transfer.moved }
        transfer.standstill = standstill
        standstill.begin { [self] in
            end(transfer, with: HTTPFailure(.interrupted, "\(transfer.target.host) does not answer, or next to nothing comes from it"))
        }
    }

    private func end(_ transfer: Transfer, with failure: HTTPFailure) {
        waiting.removeAll { $0 === transfer }
        if let easy = transfer.easy, running[easy] === transfer {
            running[easy] = nil
            sockets.remove(easy)
        }
        transfer.finish(.failure(failure))
        startWaiting()
    }

    /// Starts the transfers that may start, in the order in which they were requested.
    ///
    /// libcurl could hold transfers back itself, but their connect timeout would already run while they wait.
    private func startWaiting() {
        var counts: [String: Int] = [:]
        for transfer in running.values { counts[transfer.target.origin, default: 0] += 1 }
        let candidates = waiting
        waiting = []
        for transfer in candidates {
            guard counts[transfer.target.origin, default: 0] < limits.transfersPerHost else {
                waiting.append(transfer)
                continue
            }
            do {
                let easy = try transfer.prepare(for: self)
                try sockets.add(easy)
                running[easy] = transfer
                watch(transfer)
                counts[transfer.target.origin, default: 0] += 1
            } catch {
                transfer.finish(.failure(error))
            }
        }
    }

    private func ended(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let transfer = running.removeValue(forKey: easy) else { return }
        sockets.remove(easy)
        transfer.finish(transfer.result(code))
        startWaiting()
    }
}

extension HTTPFailure {
    static let cancelled = HTTPFailure(.cancelled, "cancelled")
}

extension HTTPRequest {
    fileprivate mutating func dropSecrets() {
        credentials = nil
        headers.removeAll { ["authorization", "cookie"].contains($0.name.lowercased()) }
    }
}

/// The limits that apply to every request of a transport, in addition to each request's own limits of size and time.
public struct CurlLimits: Sendable {
    /// How long connecting may take, including TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// A transfer that is slower than this for `slowTime` is ended.
    public var slowestBytesPerSecond = 100
    /// How long a transfer may be slower than `slowestBytesPerSecond`. Whole seconds.
    public var slowTime: Duration = .seconds(30)
    /// How many transfers to one origin may run together. The others wait, and their timeouts begin only when they start.
    public var transfersPerHost = 6
    /// How many redirects in a row are followed.
    public var redirects = 5

    public init() {}
}

extension CurlTransport {
    /// The version of libcurl, and of the TLS library behind it.
    public nonisolated static var libraryVersion: String {
        guard let text = curl_version() else { return "unknown" }
        return String(cString: text).split(separator: " ").prefix(2).joined(separator: ", ")
    }
}
