import DemoService
import JSON
import LocalHTTP
import Model
import Platform

/// Sign-ins with a browser (OAuth 2 with PKCE): codes that can still be exchanged for tokens, and the tokens issued.
struct SignIns: Sendable {
    /// The registered applications with their secrets, if any, and the addresses to which browsers may be redirected.
    private static let applications = [StandIn.publicApplication: nil, StandIn.confidentialApplication: DemoService.secret]
    private static let redirects: Set<String> = ["http://localhost:41573/signed-in", "http://localhost:41574/signed-in"]

    private struct Code: Sendable {
        let application: String
        let redirect: String
        let challenge: String?
        let expires: Int
    }

    private struct Given: Sendable {
        let application: String
        let access: String
        let refresh: String
        let expires: Int
    }

    private var codes: [String: Code] = [:]
    private var given: [Given] = []
    /// For how many seconds an access token is valid.
    var lasts = 7200

    /// Returns whether the request carries a currently valid token.
    func allow(_ request: WebRequest, now: Int) -> Bool {
        given.contains { request.header("Authorization") == "Bearer \($0.access)" && now < $0.expires }
    }

    mutating func forgetAll() { given = [] }

    mutating func answer(_ request: WebRequest, _ path: [String], now: Int) -> WebReply {
        switch (request.method, path) {
        case ("GET", ["authorize"]): return authorize(request, now: now)
        case ("POST", ["token"]): return token(Self.form(request.body), now: now)
        case ("POST", ["revoke"]):
            let token = Self.form(request.body)["token"]
            given.removeAll { $0.access == token || $0.refresh == token }
            return Self.json(200, [:])
        default: return WebReply(status: 404)
        }
    }

    /// Responds with the page on which a person allows or refuses the sign-in. When the person has chosen, responds with a redirect to the
    /// program.
    private mutating func authorize(_ request: WebRequest, now: Int) -> WebReply {
        let application = request.parameter("client_id") ?? ""
        let redirect = request.parameter("redirect_uri") ?? ""
        let challenge = request.parameter("code_challenge")
        // The redirect address must be exactly a registered one.
        guard let secret = Self.applications[application], Self.redirects.contains(redirect),
            request.parameter("response_type") == "code", challenge == nil || request.parameter("code_challenge_method") == "S256",
            challenge != nil || secret != nil
        else { return .text(status: 400, "The redirect uri or the application is not valid.\n") }
        let state = "state=\((request.parameter("state") ?? "").percentEncoded)"
        switch request.parameter("answer") {
        case "allow":
            let code = Secret.random().revealed
            codes[code] = Code(application: application, redirect: redirect, challenge: challenge, expires: now + 600)
            return WebReply(status: 302, headers: [("Location", "\(redirect)?code=\(code)&\(state)")])
        case "refuse":
            return WebReply(status: 302, headers: [("Location", "\(redirect)?error=access_denied&\(state)")])
        default:
            let query = request.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&amp;")
            let links = ["allow", "refuse"].map { "<p><a href=\"?\(query)&amp;answer=\($0)\">\($0)</a>" }.joined()
            let page = "<!doctype html><meta charset=utf-8><title>Sign in</title><p>Woodshed wants to read your plans.\(links)"
            return WebReply(headers: [("Content-Type", "text/html")], body: Array(page.utf8))
        }
    }

    private mutating func token(_ form: [String: String], now: Int) -> WebReply {
        let application = form["client_id"] ?? ""
        guard let secret = Self.applications[application], secret == nil || form["client_secret"] == secret else {
            return Self.json(401, ["error": "invalid_client", "error_description": "Client authentication failed."])
        }
        let refused = Self.json(400, ["error": "invalid_grant", "error_description": "The grant is invalid, expired or revoked."])
        switch form["grant_type"] {
        case "authorization_code":
            // A code can be used only once.
            guard let code = codes.removeValue(forKey: form["code"] ?? ""), code.application == application, now < code.expires,
                code.redirect == form["redirect_uri"], code.challenge == nil || code.challenge == form["code_verifier"].map(Self.challenge)
            else { return refused }
        case "refresh_token":
            guard let former = given.firstIndex(where: { $0.refresh == form["refresh_token"] && $0.application == application }) else {
                return refused
            }
            given.remove(at: former)
        default: return Self.json(400, ["error": "unsupported_grant_type"])
        }
        let new = Given(application: application, access: Secret.random().revealed, refresh: Secret.random().revealed, expires: now + lasts)
        given.append(new)
        return Self.json(
            200,
            [
                "access_token": .text(new.access), "token_type": "bearer", "expires_in": .integer(lasts),
                "refresh_token": .text(new.refresh), "scope": "services", "created_at": .integer(now),
            ])
    }

    private static func challenge(_ proof: String) -> String { Base64.encode(Array(SHA256.digest(of: proof).bytes), forAddresses: true) }

    private static func json(_ status: Int, _ value: JSONText) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "application/json")], body: Array(value.line.utf8))
    }

    private static func form(_ body: [UInt8]) -> [String: String] {
        String(decoding: body, as: UTF8.self).split(separator: "&").reduce(into: [:]) { form, field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            form[String(parts[0])] = parts.count == 2 ? String(parts[1]).percentDecoded : ""
        }
    }
}

extension String {
    /// The decoded value of a form field.
    var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let decoded = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
                bytes.append(byte == UInt8(ascii: "+") ? 32 : byte)
                continue
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
