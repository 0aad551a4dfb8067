import CCurl
import Platform

/// One libcurl multi handle, with its sockets and timer on the loop.
@LoopActor
final class CurlSockets {
    /// Called for each transfer that has ended, never from within libcurl, so the callback may remove and add transfers.
    var onEnd: (@LoopActor (UnsafeMutableRawPointer, CURLcode) -> Void)?
    /// True while libcurl acts on its sockets and may call us. Until it returns, nothing may be added, removed or closed.
    private(set) var isAtWork = false
    private let multi: UnsafeMutableRawPointer
    private var watches: [curl_socket_t: DescriptorWatch] = [:]
    private let alarm: Alarm
    private var isClosed = false

    private nonisolated static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(time: any TimeKeeper, connectionsPerHost: Int) {
        guard Self.isReady, let multi = curl_multi_init() else { fatalError("libcurl cannot start") }
        (self.multi, alarm) = (multi, Alarm(time))
        woodshed_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        // Connections stay open for the next poll. There are two hosts, because a service has one for its data and one for its files.
        woodshed_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 2 * connectionsPerHost)
        woodshed_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let me = Unmanaged.passUnretained(self).toOpaque()
        woodshed_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
        woodshed_curl_multi_set_socket_callback(multi) { _, socket, what, context, _ in
            guard let context else { return 0 }
            let sockets = Unmanaged<CurlSockets>.fromOpaque(context)
            return LoopActor.assumeIsolated { sockets.takeUnretainedValue().watch(socket, for: what) }
        }
        woodshed_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
        woodshed_curl_multi_set_timer_callback(multi) { _, milliseconds, context in
            guard let context else { return 0 }
            let sockets = Unmanaged<CurlSockets>.fromOpaque(context)
            LoopActor.assumeIsolated { sockets.takeUnretainedValue().setTimer(milliseconds) }
            return 0
        }
    }

    var isIdle: Bool { watches.isEmpty && !alarm.isSet }

    func add(_ easy: UnsafeMutableRawPointer) throws(HTTPFailure) {
        let code = curl_multi_add_handle(multi, easy)
        guard code == CURLM_OK else { throw HTTPFailure(.interrupted, String(cString: curl_multi_strerror(code))) }
    }

    /// Removes a transfer, and aborts it if it is still running.
    func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(multi, easy) }

    /// Closes all connections, once all transfers have been removed.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        curl_multi_cleanup(multi)
        setTimer(-1)
        for watch in watches.values { Loop.shared.cancel(watch) }
        watches = [:]
    }

    private func watch(_ socket: curl_socket_t, for what: Int32) -> Int32 {
        let interest: Readiness
        switch what {
        case CURL_POLL_IN: interest = .read
        case CURL_POLL_OUT: interest = .write
        case CURL_POLL_INOUT: interest = [.read, .write]
        default:
            if let watch = watches.removeValue(forKey: socket) { Loop.shared.cancel(watch) }
            return 0
        }
        if let watch = watches[socket] {
            Loop.shared.change(watch, to: interest)
            return 0
        }
        do {
            watches[socket] = try Loop.shared.watch(socket, for: interest) { [weak self] readiness in
                self?.act(on: socket, readiness)
            }
            return 0
        } catch {
            return -1
        }
    }

    private func setTimer(_ milliseconds: Int) {
        alarm.cancel()
        if milliseconds >= 0 { alarm.set(in: .milliseconds(milliseconds)) { [weak self] in self?.act(on: CURL_SOCKET_TIMEOUT, []) } }
    }

    private func act(on socket: curl_socket_t, _ readiness: Readiness) {
        guard !isClosed else { return }
        // If a socket hangs up or has an error, report this as both readable and writable, so that whichever side waits is called.
        var mask: Int32 = 0
        if readiness.contains(.read) || !readiness.isSubset(of: [.read, .write]) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.write) || !readiness.isSubset(of: [.read, .write]) { mask |= CURL_CSELECT_OUT }
        var count: Int32 = 0
        isAtWork = true
        curl_multi_socket_action(multi, socket, mask, &count)
        isAtWork = false
        handOutEnded()
    }

    private func handOutEnded() {
        var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // Copy what is needed from each message, which is only valid until the next call about its transfer.
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            ended.append((easy, message.pointee.data.result))
        }
        for (easy, code) in ended { onEnd?(easy, code) }
    }
}

/// libcurl's option setters, by the type of the value.
struct TransferOptions {
    private let easy: UnsafeMutableRawPointer

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    func set(_ option: CURLoption, _ value: Int) { woodshed_curl_set_long(easy, option, value) }
    func set(_ option: CURLoption, _ value: UnsafeRawPointer?) { woodshed_curl_set_pointer(easy, option, value) }
    func set(_ option: CURLoption, _ callback: @escaping woodshed_curl_data_callback) {
        woodshed_curl_set_data_callback(easy, option, callback)
    }

    func setOpenSocket(_ callback: @escaping woodshed_curl_open_socket_callback) { woodshed_curl_set_open_socket(easy, callback) }
    func setBeforeRequest(_ callback: @escaping woodshed_curl_before_request_callback) {
        woodshed_curl_set_before_request(easy, callback)
    }

    /// Sets an option to a text, which libcurl copies.
    func set(_ option: CURLoption, _ text: String) { text.withCString { _ = woodshed_curl_set_pointer(easy, option, $0) } }

    func setUsualLimits(_ limits: CurlLimits, timeout: Duration) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // A second request to a host waits for the first one's connection if both can share it.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connectTimeout))
        set(CURLOPT_TIMEOUT_MS, Self.milliseconds(timeout))
        set(CURLOPT_LOW_SPEED_LIMIT, limits.slowestBytesPerSecond)
        set(CURLOPT_LOW_SPEED_TIME, Int(limits.slowTime.components.seconds))
    }

    /// The duration in milliseconds, but at least one, since zero would mean no limit.
    private static func milliseconds(_ duration: Duration) -> Int { Int(max(duration.wholeNanoseconds / 1_000_000, 1)) }
}
