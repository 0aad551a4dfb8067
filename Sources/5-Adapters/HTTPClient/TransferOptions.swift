import CCurl
import Platform

/// libcurl's option setters, by the type of the value.
struct TransferOptions {
    private let easy: UnsafeMutableRawPointer

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    func set(_ option: CURLoption, _ value: Int) { woodshed_curl_set_long(easy, option, value) }
    func set(_ option: CURLoption, _ value: UnsafeRawPointer?) { woodshed_curl_set_pointer(easy, option, value) }
    func set(_ option: CURLoption, _ callback: @escaping woodshed_curl_data_callback) {
        woodshed_curl_set_data_callback(easy, option, callback)
    }

    func setOpenSocket(_ callback: @escaping woodshed_curl_open_socket_callback) { woodshed_curl_set_open_socket(easy, callback) }
    func setBeforeRequest(_ callback: @escaping woodshed_curl_before_request_callback) {
        woodshed_curl_set_before_request(easy, callback)
    }

    /// A text, which libcurl copies.
    func set(_ option: CURLoption, _ text: String) {
        text.withCString { _ = woodshed_curl_set_pointer(easy, option, $0) }
    }

    /// The options for every transfer.
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

    /// At least one, since zero would mean no limit.
    private static func milliseconds(_ duration: Duration) -> Int {
        Int(max(duration.wholeNanoseconds / 1_000_000, 1))
    }
}
