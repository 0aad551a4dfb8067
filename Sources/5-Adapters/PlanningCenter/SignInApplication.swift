import JSON
public import Model
public import Platform

/// The tokens of a sign-in with a browser.
public struct SignInTokens: Hashable, Sendable {
    /// The token that is sent with each request until it expires.
    public var access: Secret
    /// The token that is exchanged for the next tokens; `nil` if the service gave none.
    public var refresh: Secret?
    /// When `access` expires, by this machine's clock.
    public var expires: Timestamp

    public init(access: Secret, refresh: Secret?, expires: Timestamp) {
        (self.access, self.refresh, self.expires) = (access, refresh, expires)
    }
}

/// An application that is registered at the service, through which people sign in with a browser (OAuth 2 with PKCE).
@LoopActor
public struct SignInApplication {
    /// The service lets the browser return only to registered addresses, so these two ports are fixed.
    public nonisolated static let ports: [UInt16] = [41573, 41574]
    /// The path of the address that the browser returns to.
    public nonisolated static let path = "/signed-in"
    public nonisolated static func redirect(port: UInt16) -> String { "http://localhost:\(port)\(path)" }

    private let id: String
    /// The application's secret; `nil` for an application that is registered as "Public".
    private let secret: Secret?
    private let origin: String
    private let userAgent: String
    private let transport: any HTTPTransport
    private let time: any TimeKeeper

    /// Fails if the address cannot be read.
    public init?(id: String, secret: Secret?, apiURL: String, userAgent: String, transport: any HTTPTransport, time: any TimeKeeper) {
        guard let origin = (try? WebAddress(apiURL, .plain))?.origin else { return nil }
        (self.id, self.secret, self.origin, self.userAgent, self.transport, self.time) = (id, secret, origin, userAgent, transport, time)
    }

    /// The address of the page where a person allows access. The service returns `state` with its code. `proof` must be shown to
    /// exchange the code for tokens, so the code alone is worthless to others.
    public func page(redirect: String, state: Secret, proof: Secret) -> String {
        let challenge = Base64.encode(Array(SHA256.digest(of: proof.revealed).bytes), forAddresses: true)
        return "\(origin)/oauth/authorize?"
            + Self.form([
                ("response_type", "code"), ("client_id", id), ("redirect_uri", redirect), ("scope", "services"), ("state", state.revealed),
                ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ])
    }

    /// Exchanges the code that the browser came back with for the first tokens.
    public func tokens(for code: String, redirect: String, proof: Secret) async throws(ServiceFailure) -> SignInTokens {
        try await tokens([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", proof.revealed),
        ])
    }

    /// Exchanges the refresh token for the next tokens. If the service gives no new refresh token, the old one is kept.
    public func renewed(_ tokens: SignInTokens) async throws(ServiceFailure) -> SignInTokens {
        guard let refresh = tokens.refresh else { throw .notAuthorised("the sign-in has run out", isSignIn: true) }
        var next = try await self.tokens([("grant_type", "refresh_token"), ("refresh_token", refresh.revealed)])
        next.refresh = next.refresh ?? refresh
        return next
    }

    /// Revokes this sign-in at the service.
    public func end(_ tokens: SignInTokens) async throws(ServiceFailure) {
        let response = try await send("revoke", [("token", (tokens.refresh ?? tokens.access).revealed)])
        guard (200..<300).contains(response.status) else { throw failure(response) }
    }

    private struct Granted: Decodable {
        let access_token: String
        let refresh_token: String?
        let expires_in: Int?
    }

    private func tokens(_ fields: [(String, String)]) async throws(ServiceFailure) -> SignInTokens {
        let response = try await send("token", fields)
        guard response.status == 200 else { throw failure(response) }
        guard let granted = try? JSONReader.decode(Granted.self, from: response.body),
            Self.isToken(granted.access_token), granted.refresh_token.map(Self.isToken) ?? true
        else { throw .notUnderstood(what: "the sign-in", why: "the service gave no token that can be used") }
        // Without a stated time, assume the usual two hours. If the token expires earlier, the service will refuse it.
        let lasts = Duration.seconds(min(max(granted.expires_in ?? 7200, 0), 366 * 86400))
        return SignInTokens(
            access: Secret(granted.access_token), refresh: granted.refresh_token.map(Secret.init), expires: time.timestamp + lasts)
    }

    /// Returns whether the token is short enough and can be sent in a header, and cannot be mistaken for a personal token, which
    /// has a colon.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 4096 && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }
    }

    private func send(_ what: String, _ fields: [(String, String)]) async throws(ServiceFailure) -> HTTPResponse {
        let all = fields + [("client_id", id)] + (secret.map { [("client_secret", $0.revealed)] } ?? [])
        var request = HTTPRequest(
            .post, "\(origin)/oauth/\(what)",
            headers: [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"), ("User-Agent", userAgent)],
            body: Array(Self.form(all).utf8), maximumBytes: 64 << 10, timeout: .seconds(30))
        request.staysAtOrigin = true
        return try await PlanningCenterClient.understood { () async throws(HTTPFailure) in try await transport.send(request) }
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\(WebAddress.encoded($1) ?? "")" }.joined(separator: "&")
    }

    private struct Refused: Decodable {
        let error: String
        let error_description: String?
    }

    private func failure(_ response: HTTPResponse) -> ServiceFailure {
        if response.status == 429 { return .rateLimited(retryAfter: .seconds(60)) }
        if response.status >= 500 { return .serverError(status: response.status, "") }
        guard let refused = try? JSONReader.decode(Refused.self, from: response.body) else {
            return .notUnderstood(what: "the sign-in", why: "the service answered \(response.status)")
        }
        // The service's text is untrusted: show it on one line, without control characters.
        let said = (refused.error_description ?? refused.error).prefix(200).unicodeScalars.map { scalar -> Unicode.Scalar in
            [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory) ? " " : scalar
        }
        let words = String(String.UnicodeScalarView(said))
        // This error means that the sign-in was withdrawn or is too old. All other errors concern the application.
        guard refused.error == "invalid_grant" else {
            return .refused(
                "the service does not let this application sign people in (\(words)); its id, and its secret if it has one, must be as at the service"
            )
        }
        return .notAuthorised(words, isSignIn: true)
    }
}
