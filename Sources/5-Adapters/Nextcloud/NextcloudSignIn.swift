import JSON
public import Model
public import Platform

/// A musician logs in at a Nextcloud with a browser, and this program gets a password of its own there ("Login flow v2").
///
/// The server answers with a token, and with the address of a page for the browser. Once the musician has allowed access on that
/// page, the token can be exchanged for the password, a single time.
@LoopActor
public struct NextcloudSignIn {
    /// The page to open, where the musician logs in. Anybody else who opens it would connect this program with their own files.
    public let page: String
    /// The origin of the server, for people.
    public let server: String
    private let endpoint: String
    private let token: Secret
    /// When the server forgets the token.
    private let end: Moment
    private let userAgent: String
    private let transport: any HTTPTransport
    private let time: any TimeKeeper

    /// How long the server keeps a token.
    private static let patience: Duration = .seconds(20 * 60)
    private static let pause: Duration = .seconds(2)
    /// The longest pause that a server can ask for, in seconds.
    private static let longestPause = 60

    /// Asks the server for a page. `address` is the server's address, or the address of a folder there, as for WebDAV. The server
    /// lists this program as `userAgent` among the musician's devices.
    public static func begin(
        at address: String, userAgent: String, transport: any HTTPTransport, time: any TimeKeeper
    ) async throws(Trouble) -> NextcloudSignIn {
        guard let base = base(of: address) else { throw .noAddress }
        let end = time.now + patience
        let request = request(base.folder + "/index.php/login/v2", userAgent)
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw trouble(error, at: base)
        }
        let begun = try begun(response, at: base)
        let (page, endpoint) = (try own(begun.login, of: base.origin), try own(begun.poll.endpoint, of: base.origin))
        return NextcloudSignIn(
            page: page.text, server: base.origin, endpoint: endpoint.text, token: Secret(begun.poll.token), end: end,
            userAgent: userAgent, transport: transport, time: time)
    }

    /// Waits until the musician has logged in, for at most 20 minutes from `begin`. Call it only once: the server sends one password.
    public func access() async throws(Trouble) -> NextcloudAccess {
        var (pause, trouble) = (Self.pause, nil as String?)
        while true {
            do {
                // If the laptop was asleep beyond the end, ask once more.
                try await time.sleep(until: min(time.now + pause, end))
            } catch {
                throw .cancelled
            }
            switch try await poll() {
            case .granted(let access): return access
            case .notYet: pause = Self.pause
            case .setback(let why, let wait): (trouble, pause) = (why, wait)
            }
            if time.now >= end { throw .ranOut(server: server, trouble) }
        }
    }

    // MARK: - The beginning

    private struct Begun: Decodable {
        struct Poll: Decodable {
            let token: String
            let endpoint: String
        }

        let poll: Poll
        let login: String
    }

    /// The server's own address, which is the part before the paths that every Nextcloud has; `nil` if malformed. Only this part
    /// must be well-formed, since people may write the folder's name in any way.
    private static func base(of address: String) -> WebAddress? {
        let places = ["/remote.php", "/index.php"].compactMap { address.firstRange(of: $0)?.lowerBound }
        return try? WebAddress(address[..<(places.min() ?? address.endIndex)], [.plain, .folder])
    }

    private static func request(_ url: String, _ userAgent: String, body: String = "") -> HTTPRequest {
        var headers = [("Accept", "application/json"), ("OCS-APIREQUEST", "true"), ("User-Agent", userAgent)]
        if !body.isEmpty { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        var request = HTTPRequest(
            .post, url, headers: headers, body: Array(body.utf8), maximumBytes: 64 << 10, timeout: .seconds(30))
        request.staysAtOrigin = true
        // A person is waiting for this.
        request.patience = .seconds(8)
        return request
    }

    private static func trouble(_ failure: HTTPFailure, at base: WebAddress) -> Trouble {
        switch failure.kind {
        case .unreachable, .interrupted, .refused: .unavailable(server: base.origin, failure.message)
        case .tooLarge, .ledAway: .noSuchFlow(server: base.origin, failure.message)
        case .cancelled: .cancelled
        }
    }

    private static func begun(_ response: HTTPResponse, at base: WebAddress) throws(Trouble) -> Begun {
        let server = base.origin
        if isPassing(response.status) { throw .unavailable(server: server, "it answered \(response.status)") }
        guard response.status == 200 else {
            let other = response.headers["location"].flatMap { try? WebAddress($0, .plain) }?.origin
            throw .noSuchFlow(server: server, "it answered \(response.status)\(other.map { " and points to \($0)" } ?? "")")
        }
        guard let begun = read(Begun.self, response) else {
            let isPage = response.body.first { $0 > 32 } == UInt8(ascii: "<")
            throw .noSuchFlow(
                server: server,
                isPage ? "a web page came instead; if this Wi-Fi has a log-in page, log in there first" : "it answered something else")
        }
        guard isSecret(begun.poll.token) else { throw .notUnderstood(server: server, "its token is none") }
        return begun
    }

    // MARK: - Asking whether it was allowed

    private enum Answer {
        case granted(NextcloudAccess)
        case notYet
        /// The request failed for the given reason. The next request follows after the given time.
        case setback(String, Duration)
    }

    private struct Granted: Decodable {
        let server: String
        let loginName: String
        let appPassword: String
    }

    private func poll() async throws(Trouble) -> Answer {
        let response: HTTPResponse
        do {
            response = try await transport.send(Self.request(endpoint, userAgent, body: "token=\(token.revealed.percentEncoded)"))
        } catch {
            switch error.kind {
            // Before people log in to a Wi-Fi, its log-in page may answer in the server's place, with another certificate.
            case .unreachable, .interrupted, .refused: return .setback(error.message, Self.pause)
            case .tooLarge, .ledAway: throw .notUnderstood(server: server, error.message)
            case .cancelled: throw .cancelled
            }
        }
        switch response.status {
        case 200: return .granted(try access(response))
        case 404: return .notYet
        case let status where Self.isPassing(status): return .setback("it answered \(status)", Self.wait(response))
        default: throw .notUnderstood(server: server, "it answered \(response.status)")
        }
    }

    private static func wait(_ response: HTTPResponse) -> Duration {
        guard let asked = response.headers["retry-after"].flatMap({ OutsideNumber($0) }) else { return pause }
        return max(pause, .seconds(asked.whole(in: 0...longestPause)))
    }

    private func access(_ response: HTTPResponse) throws(Trouble) -> NextcloudAccess {
        guard let granted = Self.read(Granted.self, response) else { throw .notUnderstood(server: server, "it is no password") }
        // Name and password are written as one line, in which the name ends at the first colon.
        guard Self.isName(granted.loginName), Self.isSecret(granted.appPassword) else {
            throw .notUnderstood(server: server, "its user name or password cannot be sent")
        }
        let own = try Self.own(granted.server, of: server, wasGranted: true)
        return NextcloudAccess(loginName: granted.loginName, password: Secret(granted.appPassword), server: own.folder)
    }

    // MARK: - What is believed

    /// Parses an address that the server sent. Throws if it is malformed, or has another origin than the server.
    private static func own(
        _ text: String, of server: String, wasGranted: Bool = false
    ) throws(Trouble) -> WebAddress {
        guard text.utf8.count <= 4096, let address = try? WebAddress(text, .plain) else {
            throw .notUnderstood(server: server, "an address in it is none")
        }
        guard address.origin == server else { throw .namesAnother(server: server, other: address.origin, wasGranted: wasGranted) }
        return address
    }

    /// Whether the same request may succeed later.
    private static func isPassing(_ status: Int) -> Bool { status >= 500 || status == 429 || status == 408 }

    private static func read<Value: Decodable>(_ type: Value.Type, _ response: HTTPResponse) -> Value? {
        let limits = JSONLimits(bytes: 64 << 10, depth: 8, values: 200, allowsRepeats: false)
        return try? JSONReader.decode(type, from: response.body, limits: limits)
    }

    private static func isSecret(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    private static func isName(_ text: String) -> Bool {
        let isText = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory) && scalar != ":"
        }
        return isText && !text.isEmpty && text.utf8.count <= 255 && text.first != " " && text.last != " "
    }
}
