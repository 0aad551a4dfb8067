import CCurl
import Platform

/// One exchange with one host, from its settings to its single result.
@LoopActor
final class Transfer {
    typealias Sink = @LoopActor (UnsafeRawBufferPointer) -> Bool

    let target: WebAddress
    let request: HTTPRequest
    /// Resumed once, with the result.
    var continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>?
    /// libcurl's handle, from `prepare` to `finish`.
    private(set) var easy: UnsafeMutableRawPointer?
    /// Ends the transfer if nothing moves; `nil` if the request sets no patience.
    var standstill: Standstill?
    private let sink: Sink?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var errorText: UnsafeMutablePointer<CChar>?
    private var head = ResponseHead()
    private var body: [UInt8] = []
    private var count = 0
    /// Whether enough of an error's explanation has arrived, so that the rest is refused.
    private var hasEnough = false
    private var hasReportedHead = false
    /// The reason if this program stopped the transfer.
    private var stopped: HTTPFailure?
    /// Set if a socket was not made, or not used, because its host must not be reached.
    var refusedHost: HTTPFailure?
    var proxy: Proxy?
    var goesThroughProxy: Bool { proxy != nil }
    var isFromPrivateHost = false

    init(_ request: HTTPRequest, to target: WebAddress, sink: Sink?) { (self.request, self.target, self.sink) = (request, target, sink) }

    /// Makes libcurl's handle with all its settings.
    func prepare(for transport: CurlTransport) throws(HTTPFailure) -> UnsafeMutableRawPointer {
        guard request.timeout > .zero else { throw HTTPFailure(.interrupted, "\(target.host) took too long") }
        guard let easy = curl_easy_init() else { throw HTTPFailure(.interrupted, "libcurl is out of memory") }
        self.easy = easy
        let options = TransferOptions(easy)
        options.setUsualLimits(transport.limits, timeout: request.timeout)
        options.set(CURLOPT_URL, target.text)
        options.set(CURLOPT_PROTOCOLS_STR, target.scheme)
        try guardHosts(options)
        // This machine is never reached through a proxy.
        if target.isLoopback { options.set(CURLOPT_PROXY, "") }
        if let socket = transport.unixSocket { options.set(CURLOPT_UNIX_SOCKET_PATH, socket) }
        options.set(CURLOPT_USERAGENT, transport.userAgent)
        if let file = transport.certificateAuthority {
            options.set(CURLOPT_CAINFO, file)
            options.set(CURLOPT_CAPATH, nil)
        }
        // A sink must get the body byte for byte as the server has it.
        options.set(CURLOPT_ACCEPT_ENCODING, sink == nil ? "" : "identity")
        // If the server compresses the body anyway, do not unpack it, since it might inflate to a thousand times its size.
        options.set(CURLOPT_HTTP_CONTENT_DECODING, sink == nil ? 1 : 0)
        if request.method.hasBody {
            options.set(CURLOPT_POST, 1)
            options.set(CURLOPT_POSTFIELDSIZE, request.body.count)
            request.body.withUnsafeBytes { options.set(CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1)) }
        }
        if ![.get, .post].contains(request.method) { options.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
        if let credentials = request.credentials?.revealed, let signature = request.signature {
            options.set(CURLOPT_USERPWD, credentials)
            options.set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
        } else if let credentials = request.credentials?.revealed {
            // CURLAUTH_BASIC and CURLAUTH_BEARER, which are casts that Swift does not import. Only a bearer token has no colon.
            let isPersonal = credentials.contains(":")
            options.set(CURLOPT_HTTPAUTH, isPersonal ? 1 : 1 << 6)
            options.set(isPersonal ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, credentials)
        }
        headerList = try headerLines()
        options.set(CURLOPT_HTTPHEADER, headerList)
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.errorText = errorText
        options.set(CURLOPT_ERRORBUFFER, errorText)
        options.set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        options.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context)
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return LoopActor.assumeIsolated { transfer.takeUnretainedValue().received(piece) }
        }
        options.set(CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque())
        options.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context)
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return LoopActor.assumeIsolated { transfer.takeUnretainedValue().receivedLine(line) }
        }
        return easy
    }

    private func headerLines() throws(HTTPFailure) -> UnsafeMutablePointer<curl_slist>? {
        // By default libcurl labels a body as a web form. This line prevents that, unless the request's own headers name the type.
        var lines = request.method.hasBody ? ["Content-Type:"] : []
        let ownType = request.headers.contains { $0.name.lowercased() == "content-type" }
        if ownType { lines = [] }
        for (name, value) in request.headers {
            guard (name + value).utf8.allSatisfy({ $0 >= 32 && $0 != 127 }), !name.contains(":") else {
                throw HTTPFailure(.refused, "a header to \(target.host) contains characters that are not allowed")
            }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        return list
    }

    private static let mostExplanation = 64 << 10

    /// Receives a line of the head or of the trailers. Any result but the line's length makes libcurl end the transfer.
    private func receivedLine(_ line: UnsafeRawBufferPointer) -> Int {
        if head.receive(line, behindBody: count > 0) { return line.count }
        stopped = HTTPFailure(.tooLarge, "\(target.host) sends more than \(ResponseHead.mostBytes >> 10) kB of headers")
        return 0
    }

    /// Receives a piece of the body. Any result but the piece's length makes libcurl end the transfer.
    private func received(_ piece: UnsafeRawBufferPointer) -> Int {
        guard (200..<300).contains(head.status) else { return receivedExplanation(piece) }
        guard piece.count <= request.maximumBytes - count else {
            stopped = HTTPFailure(.tooLarge, "\(target.host) sends more than the \(request.maximumBytes) bytes allowed")
            return 0
        }
        count += piece.count
        guard let sink else {
            body.append(contentsOf: piece)
            return piece.count
        }
        if reportHead(), sink(piece) { return piece.count }
        stopped = HTTPFailure(.refused, "the rest of what \(target.host) sends is not needed")
        // Do not return 0: for an empty piece, 0 would mean that the piece was accepted.
        return piece.count + 1
    }

    /// The body of an error is only an explanation, so its beginning is enough. A long body is cut off, and this does not turn the
    /// answer into a failure.
    private func receivedExplanation(_ piece: UnsafeRawBufferPointer) -> Int {
        count += piece.count
        body.append(contentsOf: piece.prefix(Self.mostExplanation - body.count))
        guard count > Self.mostExplanation else { return piece.count }
        hasEnough = true
        return piece.count + 1
    }

    /// Reports the head to the request's `onHead`, once; returns whether the body is wanted.
    private func reportHead() -> Bool {
        if hasReportedHead { return true }
        hasReportedHead = true
        return request.onHead?(HTTPResponse(status: head.status, headers: head.fields, isFromPrivateHost: isFromPrivateHost)) ?? true
    }

    /// The result, once libcurl has ended the transfer with `code`.
    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        if code == CURLE_OK || hasEnough {
            return .success(HTTPResponse(status: head.status, headers: head.fields, body: body, isFromPrivateHost: isFromPrivateHost))
        }
        if let stopped { return .failure(stopped) }
        // With any other code, another IP address was reached, and the failure has a different reason.
        if let refusedHost, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK { return .failure(refusedHost) }
        return .failure(failure(code))
    }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        var detail = errorText.map { String(cString: $0) } ?? ""
        if detail.isEmpty { detail = String(cString: curl_easy_strerror(code)) }
        let message = "\(target.host): \(detail)" + (proxy.map { "; it is requested through \($0.words): check that" } ?? "")
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION:
            var verdict = 0
            if let easy { woodshed_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verdict) }
            return HTTPFailure(.refused, "\(target.host) \(CertificateFault(verdict: verdict).sentence) (\(detail))")
        case CURLE_SSL_CONNECT_ERROR where detail.contains("wrong version number") || detail.contains("packet length too long"):
            return HTTPFailure(.unreachable, "\(target.host) speaks http at this address, not https: check the address and its port")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR:
            return HTTPFailure(.unreachable, message)
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            return HTTPFailure(.refused, message)
        case CURLE_FILESIZE_EXCEEDED:
            return HTTPFailure(.tooLarge, message)
        case CURLE_OPERATION_TIMEDOUT:
            return HTTPFailure(wasConnected ? .interrupted : .unreachable, message)
        default:
            return HTTPFailure(.interrupted, message)
        }
    }

    /// How many bytes of bodies were sent and received so far.
    var moved: Int {
        guard let easy else { return 0 }
        var (sent, received): (curl_off_t, curl_off_t) = (0, 0)
        woodshed_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &sent)
        woodshed_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &received)
        return Int(sent + received)
    }

    private var wasConnected: Bool {
        var microseconds: curl_off_t = 0
        if let easy { woodshed_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) }
        return microseconds > 0
    }

    /// Delivers the result, once, and frees libcurl's resources. The handle must already have been removed from the multi handle.
    func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
        standstill?.end()
        standstill = nil
        if let easy { curl_easy_cleanup(easy) }
        easy = nil
        curl_slist_free_all(headerList)
        headerList = nil
        errorText?.deallocate()
        errorText = nil
        continuation?.resume(returning: result)
        continuation = nil
    }
}

/// The status and headers of an answer, read line by line.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields: [String: String] = [:]
    private var bytes = 0

    /// The most bytes in all heads of one exchange together, trailers included: far more than any server sends.
    static let mostBytes = 256 << 10

    /// Receives one line, with its line break; returns `false` after too many bytes.
    ///
    /// Lines may also follow a chunked body (trailers). Their bytes count, but only lines before the body are read.
    mutating func receive(_ line: UnsafeRawBufferPointer, behindBody: Bool) -> Bool {
        bytes += line.count
        guard bytes <= Self.mostBytes else { return false }
        if !behindBody { read(line) }
        return true
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        // Each status line starts a new head. The head before it belonged to a 1xx answer, or to a proxy's answer.
        if line.hasPrefix("HTTP/") {
            fields = [:]
            status = line.split(separator: " ").dropFirst().first.flatMap { OutsideNumber(leading: $0.prefix(3)) }?.whole(in: 0...999) ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            fields[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// Why a server's certificate does not prove that the server is the requested one.
enum CertificateFault: Hashable, Sendable, CaseIterable {
    case expired
    case notYetValid
    case unknownIssuer
    case otherHost
    case other

    /// `verdict` is OpenSSL's. It is 0 or 1 for a wrong name, because libcurl compares names itself.
    init(verdict: Int) {
        self =
            switch verdict {
            case 0, 1: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 2, 18...21: .unknownIssuer
            default: .other
            }
    }

    /// The problem and the remedy, to follow the host's name.
    var sentence: String {
        switch self {
        case .expired:
            "has a certificate that has expired: see with 'timedatectl' whether this machine's clock is right; if it is, only whoever runs the service can renew the certificate"
        case .notYetValid: "has a certificate that is not valid yet: set this machine's clock, with 'sudo timedatectl set-ntp true'"
        case .unknownIssuer:
            "has a certificate from an issuer that this machine does not know: something on this network may pose as the service; open a web page to see whether the network wants you to log in, or try another network; if it is the same everywhere, run 'sudo apt install --reinstall ca-certificates'"
        case .otherHost:
            "has a certificate for another host: something on this network may answer in its place; open a web page to see whether the network wants you to log in, or try another network; if it is the same everywhere, check the address"
        case .other: "has a certificate that cannot be accepted: check this machine's clock with 'timedatectl', and try another network"
        }
    }
}
