import JSON
import LocalHTTP
import Model
import Platform

/// Decides which browsers are let in: those with an address from `woodshed open` or with the token, and those that return after a
/// restart. Also decides which of their requests may change something. Runs on the server's thread.
struct BrowserAccess: Sendable {
    let sessions: Sessions
    let invitations: Invitations
    /// Accepts tokens; `nil` if tokens are not accepted.
    let entrance: TokenEntrance?
    /// Lets pages from before a restart back in; `nil` if browsers have to sign in again.
    let returnKey: ReturnKey?
    /// Whether an address belongs to this machine.
    let isOwn: @Sendable (IPAddress) -> Bool
    let hub: EventHub
    let clock: any TimeKeeper

    /// A browser that was let in.
    struct Guest {
        /// The cookie that identified the browser; `nil` if its token did.
        let cookie: String?
        let session: Sessions.Session
    }

    /// The browser that sent a request; `nil` if it is not signed in. A cookie is valid only where it was issued: a network
    /// browser's cookie that arrives from this machine was caught by another user on another port. On the network, a listener on
    /// another port of the same address can also replace the cookie, so a page's token comes first.
    func guest(_ request: WebRequest) -> Guest? {
        guard let seat = seat(of: request) else { return nil }
        if seat == .network, let token = Self.token(of: request), let session = sessions.session(onNetworkBy: token) {
            return Guest(cookie: nil, session: session)
        }
        for cookie in Self.cookies(of: request) {
            if let session = sessions.session(of: cookie), session.seat == seat { return Guest(cookie: cookie, session: session) }
        }
        return nil
    }

    /// Where a browser is; `nil` if it is on this machine but uses a name meant for others, or if its address is unknown.
    private func seat(of request: WebRequest) -> Sessions.Seat? {
        if Self.isOfThisMachine(request) { return .here }
        return request.peer.map(isOwn) == false ? .network : nil
    }

    /// Whether a browser has sent all that it needs for reading: on the network, the token besides the cookie.
    func isTrusted(_ guest: Guest, _ request: WebRequest) -> Bool {
        guard guest.session.seat == .network else { return true }
        return Self.token(of: request).map(guest.session.isToken) ?? false
    }

    /// The token that a page on the network sends with each request.
    private static func token(of request: WebRequest) -> String? {
        // Browsers send no custom headers when they open a stream of events, so for `/api/events` the token is in the address.
        request.header(tokenHeader) ?? (request.path == "/api/events" ? request.parameter("token") : nil)
    }

    /// The secrets in the shell page for a browser: the token that its pages send with changes, and the pass for returning after a
    /// restart. Both are empty on the network, where the cookie alone gives access to the shell, but to nothing else.
    func secrets(of guest: Guest) -> (token: String, pass: String) {
        guard guest.session.seat == .here, let cookie = guest.cookie else { return ("", "") }
        // A page that returns may change everything, so guests have to sign in again instead.
        let pass = guest.session.mayChange ? returnKey?.pass(of: cookie) : nil
        return (Sessions.token(of: cookie), pass ?? "")
    }

    private static let tokenHeader = "X-Woodshed-Token"

    /// Exchanges the secret in the address for a cookie.
    func open(_ request: WebRequest) -> WebReply {
        // A HEAD request must not use the secret up, and neither must a browser that fetches the page before the click.
        guard request.method == "GET", request.header("Sec-Purpose") == nil else { return stranger(request, spent: true) }
        guard let seat = seat(of: request) else { return stranger(request) }
        if seat == .network, entrance != nil, sessions.closed == .all { return TokenEntrance.form(503, TokenEntrance.isClosed) }
        let isAnew = isSignedInAgain(request, seat)
        guard
            let (admission, place) = sessions.admit(
                seat, Self.name(of: request), by: request.parameter("secret") ?? "", replacing: Self.cookies(of: request))
        else {
            // A browser that opens its address again, such as from its history, is in already.
            guard let place = guest(request)?.session.place else { return stranger(request, spent: true) }
            return WebReply(status: 303, headers: [("Location", place), ("Cache-Control", "no-store")])
        }
        spawn {
            if seat == .network { entrance?.noteSignIn(from: request.peer) }
            noteAdmission(isAnew)
        }
        return Self.welcome(admission, seat, to: place, request)
    }

    /// Whether a browser on the network signs in although it is signed in.
    private func isSignedInAgain(_ request: WebRequest, _ seat: Sessions.Seat) -> Bool {
        seat == .network && guest(request) != nil
    }

    /// Updates the open pages after a sign-in. If the browser was signed in before (`isAnew`), all pages reconnect, so that those of
    /// its former session receive no more news.
    @LoopActor private func noteAdmission(_ isAnew: Bool) {
        if isAnew { hub.connectAnew() } else { hub.send(.plans) }
    }

    /// Prepares an answer on the loop, which knows the time.
    private func onLoop(_ answer: @escaping @Sendable @LoopActor () -> WebReply) -> WebReply {
        .later { responder in spawn { responder.answer(answer().fenced) } }
    }

    /// Answers with a code that lets a tablet in, but only to a page on this machine: a network browser must not let in others.
    func pair(_ request: WebRequest) -> WebReply {
        guard Self.isOfThisMachine(request), let port = UInt16(Self.port(request)) else {
            return .refusal(403, "Only a browser on the computer that runs Woodshed can let a tablet in.")
        }
        return onLoop { invitations.tabletCode(port: port) }
    }

    /// Exchanges the token for a cookie; `nil` if the request has another purpose, or if tokens are not accepted.
    func enter(_ request: WebRequest) -> WebReply? {
        guard let entrance, request.method == "POST", Self.isView(request.path) || request.path == "/open" else { return nil }
        guard Self.isFromOwnPage(request) else { return .refusal(403, "The token is accepted only from Woodshed's own page.") }
        guard let seat = seat(of: request) else { return stranger(request) }
        let place = Self.placeBefore(request)
        return onLoop {
            entrance.lookAtFiles()
            let closed = sessions.closed
            guard closed != .all else { return TokenEntrance.form(503, TokenEntrance.isClosed) }
            switch entrance.judge(request.body, from: request.peer) {
            case .right(let mayChange) where closed.includes(mayChange: mayChange): return TokenEntrance.form(503, TokenEntrance.isClosed)
            case .right(let mayChange):
                let isAnew = isSignedInAgain(request, seat)
                let admission = sessions.admit(
                    seat, Self.name(of: request), mayChange: mayChange, now: clock.timestamp, replacing: Self.cookies(of: request))
                noteAdmission(isAnew)
                return Self.welcome(admission, seat, to: place, request)
            case .wrong: return TokenEntrance.form(403, "That is not the token.")
            case .exhausted: return TokenEntrance.form(429, "Too many wrong tokens. Wait a minute, then try again.")
            }
        }
    }

    /// The view that showed the token form, to return to.
    private static func placeBefore(_ request: WebRequest) -> String {
        let start = "http://" + (request.header("Host") ?? "")
        guard let page = request.header("Referer"), page.hasPrefix(start + "/") else { return "/" }
        let place = String(page.dropFirst(start.count))
        return isView(place) ? place : "/"
    }

    /// Whether a path is that of a view. The token form is shown at each of these paths, and is sent to the same path.
    private static func isView(_ path: String) -> Bool { path == "/" || ["/plan/", "/chart/"].contains(where: path.hasPrefix) }

    private static func name(of request: WebRequest) -> String { ViewerBrowser.name(ofAgent: request.header("User-Agent") ?? "") }

    /// The browsers that this browser may sign out: all those on the network if it is on this machine and may change things,
    /// otherwise only itself.
    func browsers(for guest: Guest) -> [ViewerBrowser] {
        guest.session.seat == .here && guest.session.mayChange ? sessions.browsers : [guest.session.browser]
    }

    /// Signs out a browser on the network, with immediate effect.
    func end(_ request: WebRequest, for guest: Guest) -> WebReply {
        guard let id = try? JSONReader.decode(Named.self, from: request.body).id, browsers(for: guest).contains(where: { $0.id == id }),
            sessions.end(id)
        else { return .refusal(410, "This browser is not signed in any more.") }
        spawn { [hub] in hub.connectAnew() }
        return .json(.object([]))
    }

    private struct Named: Decodable {
        var id: String
    }

    /// Asks a page from before a restart for proof, and checks the proof. The page gets a new cookie, since others may have the old one.
    func comeBack(_ request: WebRequest) -> WebReply {
        guard let returnKey, Self.isOfThisMachine(request), let cookie = Self.cookies(of: request).first else { return stranger(request) }
        if request.method == "GET" { return .json(["question": .text(returnKey.question())]) }
        guard request.method == "POST", Self.isFromOwnPage(request),
            let proof = try? JSONReader.decode(Proof.self, from: request.body),
            returnKey.isRight(proof.answer, to: proof.question, cookie: cookie, port: Self.port(request))
        else { return stranger(request) }
        return onLoop {
            let fresh = sessions.admit(.here, Self.name(of: request), now: clock.timestamp)
            var reply = WebReply.json(["token": .text(fresh.token), "pass": .text(returnKey.pass(of: fresh.cookie))])
            reply.headers.append(("Set-Cookie", Self.cookie(fresh.cookie, request)))
            return reply
        }
    }

    private struct Proof: Decodable {
        var question: String
        var answer: String
    }

    /// The answer to a browser that is not signed in. `spent` is whether the address that the browser opened has been used or has expired.
    func stranger(_ request: WebRequest, spent: Bool = false) -> WebReply {
        guard request.path == "/" || !["/api/", "/pages/", "/live/", "/pdf/", "/assets/"].contains(where: request.path.hasPrefix) else {
            return .refusal(403, "This browser is not signed in. Run: woodshed open")
        }
        // A link on another site sends no cookie, but the same request from Woodshed's own page does. This cannot loop: a request
        // from that page is not cross-site.
        if ["cross-site", "same-site"].contains(request.header("Sec-Fetch-Site")), request.header("Sec-Fetch-Dest") == "document",
            request.method == "GET", request.path != "/open"
        {
            return .page(200, "<meta http-equiv=\"refresh\" content=\"0\"><p>One moment.</p>")
        }
        guard seat(of: request) != nil else { return .page(403, Self.atHome) }
        let reason = "This address was used already, or its time is over."
        if entrance != nil { return TokenEntrance.form(403, spent ? reason : "") }
        let advice = "To see your plans in this browser, run: <code>woodshed open</code>"
        return .page(403, "<h1>Not signed in</h1><p>\(spent ? "\(reason) \(advice)" : advice)</p>")
    }

    private static let atHome =
        "<h1>Not signed in</h1><p>This browser is on the computer that runs Woodshed, and this address is for others. "
        + "To see your plans here, run: <code>woodshed open</code></p>"

    /// Why a change is refused; `nil` if it is allowed. A change must come from one of Woodshed's pages, with the token of a
    /// signed-in browser, as JSON. A guest's change must be one of `lookedWith`.
    func objection(to request: WebRequest, of guest: Guest) -> WebReply? {
        guard Self.isFromOwnPage(request) else { return .refusal(403, "Changes are accepted only from Woodshed's own pages.") }
        guard let token = request.header(Self.tokenHeader), guest.session.isToken(token) else {
            return .refusal(403, "This page was loaded before the browser signed in. Reload it.")
        }
        guard guest.session.mayChange || Self.lookedWith.contains(request.path) else { return Self.onlyLooks }
        let isJSON = request.header("Content-Type")?.lowercased().hasPrefix("application/json") == true
        return isJSON ? nil : .refusal(415, "Changes must be sent as JSON.")
    }

    /// Requests by the pages of a guest, who may only look: to report the page on screen or a damaged image, and to sign out.
    private static let lookedWith: Set<String> = ["/api/look", "/api/select", "/api/damaged", "/api/end"]

    static var onlyLooks: WebReply { .refusal(403, "A guest looks at everything, and changes and saves nothing.") }

    /// Whether another site's page made this request, with an image, script or frame. Browsers report this themselves.
    static func isFromElsewhere(_ request: WebRequest) -> Bool {
        guard let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return false }
        return request.header("Sec-Fetch-Dest") != "document" || request.header("Sec-Fetch-Mode") != "navigate"
    }

    /// Whether one of Woodshed's pages sent this. The server only answers requests to its own names, so the host is one of them.
    private static func isFromOwnPage(_ request: WebRequest) -> Bool {
        request.values(ofHeader: "Origin") == ["http://" + (request.header("Host") ?? "").lowercased()]
    }

    private static func isOfThisMachine(_ request: WebRequest) -> Bool {
        isOfThisMachine(host: request.header("Host") ?? "", peer: request.peer)
    }

    /// Whether a browser is on this machine, by the name that it uses and by its address. Browsers on the network can use any name.
    static func isOfThisMachine(host: String, peer: IPAddress?) -> Bool {
        guard peer?.isLoopback == true else { return false }
        let name = host.lowercased().prefix { $0 != ":" }
        return WebServer.loopbackNames.contains(String(name)) || name.hasSuffix(".localhost")
    }

    /// On the network, the token goes into the address's fragment, which browsers never send. A page that signs in without
    /// reloading requests the token as JSON.
    private static func welcome(_ admission: Sessions.Admission, _ seat: Sessions.Seat, to place: String, _ request: WebRequest) -> WebReply
    {
        let cookie = ("Set-Cookie", Self.cookie(admission.cookie, request))
        if seat == .network, request.header("Accept") == "application/json" {
            var reply = WebReply.json(["token": .text(admission.token), "rights": .text(BrowserFiles.rights(admission.mayChange))])
            reply.headers.append(cookie)
            return reply
        }
        let address = seat == .here ? place : "\(place)#token=\(admission.token)"
        return WebReply(status: 303, headers: [("Location", address), ("Cache-Control", "no-store"), cookie])
    }

    /// The header's value that sets the cookie. It is valid for a month: a browser that was closed overnight is still signed in.
    private static func cookie(_ cookie: String, _ request: WebRequest) -> String {
        "\(cookieName(request))=\(cookie); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(30 * 86_400)"
    }

    /// The cookies with this agent's name.
    private static func cookies(of request: WebRequest) -> [String] {
        let start = cookieName(request) + "="
        return request.values(ofHeader: "Cookie").flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ";")).compactMap { part in
                let part = part.drop { $0 == UInt8(ascii: " ") }
                return part.starts(with: start.utf8) ? String(Substring(part.dropFirst(start.utf8.count))) : nil
            }
        }
    }

    /// All ports of a machine share their cookies, so each agent uses its own cookie name.
    private static func cookieName(_ request: WebRequest) -> String { "woodshed-\(port(request))" }

    private static func port(_ request: WebRequest) -> Substring {
        Substring((request.header("Host") ?? "").utf8.split(separator: UInt8(ascii: ":")).last ?? Substring().utf8)
    }
}
