import JSON
import LocalHTTP
import Model
import Platform

/// Decides who is let in: browsers with an address from `woodshed open`, with the token, or back from before a restart. Also decides which
/// of their requests may change something. Runs on the server's thread.
struct BrowserAccess: Sendable {
    let sessions: Sessions
    let invitations: Invitations
    /// Accepts tokens; `nil` where that is not done.
    let entrance: TokenEntrance?
    /// Lets pages back in that were here before a restart; `nil` where that is not done.
    let returnKey: ReturnKey?
    /// Whether an address is one of this machine's own.
    let isOwn: @Sendable (IPAddress) -> Bool
    let hub: EventHub
    let clock: any TimeKeeper

    /// A browser that was let in.
    struct Guest {
        /// The cookie that identified it; `nil` if its token did.
        let cookie: String?
        let session: Sessions.Session
    }

    /// The browser behind a request; `nil` if it was not let in. A cookie is valid only where it was given: a network browser's cookie that
    /// comes from this machine was caught by another user, on another port. On the network, a listener on another port of the same address
    /// can replace the cookie, too, so a page's token comes first.
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

    /// Where a browser is; `nil` for one on this machine under a name meant for others.
    private func seat(of request: WebRequest) -> Sessions.Seat? {
        if Self.isOfThisMachine(request) { return .here }
        return request.peer.map(isOwn) == false ? .network : nil
    }

    /// Returns whether a browser has shown everything that it needs to read: on the network that is more than its cookie.
    func isTrusted(_ guest: Guest, _ request: WebRequest) -> Bool {
        guard guest.session.seat == .network else { return true }
        return Self.token(of: request).map(guest.session.isToken) ?? false
    }

    /// What a page on the network sends with each request.
    private static func token(of request: WebRequest) -> String? {
        // Browsers send no headers of ours with this one.
        request.header(tokenHeader) ?? (request.path == "/api/events" ? request.parameter("token") : nil)
    }

    /// What the shell contains for a browser: the token that its pages send with changes, and the secret for coming back after a restart.
    /// Only on this machine: elsewhere a cookie is enough for the shell and for nothing else.
    func secrets(of guest: Guest) -> (token: String, pass: String) {
        guard guest.session.seat == .here, let cookie = guest.cookie else { return ("", "") }
        // A page that comes back may change everything, so guests have to sign in again.
        let pass = guest.session.mayChange ? returnKey?.pass(of: cookie) : nil
        return (Sessions.token(of: cookie), pass ?? "")
    }

    private static let tokenHeader = "X-Woodshed-Token"

    /// Exchanges the secret in an address for a cookie.
    func open(_ request: WebRequest) -> WebReply {
        // A HEAD request must not use it up, nor a browser that fetches the page before the click.
        guard request.method == "GET", request.header("Sec-Purpose") == nil else { return stranger(request, spent: true) }
        guard let seat = seat(of: request) else { return stranger(request) }
        if seat == .network, entrance != nil, sessions.closed == .all { return TokenEntrance.form(503, TokenEntrance.isClosed) }
        let isAnew = isSignedInAgain(request, seat)
        guard
            let (admission, place) = sessions.admit(
                seat, Self.name(of: request), by: request.parameter("secret") ?? "", replacing: Self.cookies(of: request))
        else { return stranger(request, spent: true) }
        spawn {
            if seat == .network { entrance?.noteSignIn(from: request.peer) }
            noteAdmission(isAnew)
        }
        return Self.welcome(admission, seat, to: place, request)
    }

    /// Returns whether it is a browser on the network that was let in before.
    private func isSignedInAgain(_ request: WebRequest, _ seat: Sessions.Seat) -> Bool {
        seat == .network && guest(request) != nil
    }

    /// Makes the pages show who is signed in by now. The pages of an ended session get no more news.
    @LoopActor private func noteAdmission(_ isAnew: Bool) {
        if isAnew { hub.connectAnew() } else { hub.send(.plans) }
    }

    /// Answers on the loop, where the time is known.
    private func onLoop(_ answer: @escaping @Sendable @LoopActor () -> WebReply) -> WebReply {
        .later { responder in spawn { responder.answer(answer().fenced) } }
    }

    /// A code that lets a tablet in, for a page on this machine: a browser from the network must not let in others.
    func pair(_ request: WebRequest) -> WebReply {
        guard Self.isOfThisMachine(request), let port = UInt16(Self.port(request)) else {
            return .refusal(403, "Only a browser on the computer that runs Woodshed can let a tablet in.")
        }
        return onLoop { invitations.tabletCode(port: port) }
    }

    /// Exchanges the token for a cookie; `nil` if the request is about something else.
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

    /// The view that asked for the token, to continue there.
    private static func placeBefore(_ request: WebRequest) -> String {
        let start = "http://" + (request.header("Host") ?? "")
        guard let page = request.header("Referer"), page.hasPrefix(start + "/") else { return "/" }
        let place = String(page.dropFirst(start.count))
        return isView(place) ? place : "/"
    }

    /// The form is shown at any of these, and is sent there.
    private static func isView(_ path: String) -> Bool { path == "/" || ["/plan/", "/chart/"].contains(where: path.hasPrefix) }

    private static func name(of request: WebRequest) -> String { ViewerBrowser.name(ofAgent: request.header("User-Agent") ?? "") }

    /// The browsers on the network that this one may lock out: on this machine all of them, elsewhere only itself.
    func browsers(for guest: Guest) -> [ViewerBrowser] {
        guest.session.seat == .here && guest.session.mayChange ? sessions.browsers : [guest.session.browser]
    }

    /// Locks out a browser on the network, which takes effect at once.
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

    /// Asks a page that was let in before a restart for proof, and takes it: it gets a new cookie, since others may know the old one.
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

    /// The answer to a browser that was not let in; `spent`: its address has let another one in, or is too old.
    func stranger(_ request: WebRequest, spent: Bool = false) -> WebReply {
        guard request.path == "/" || !["/api/", "/pages/", "/live/", "/pdf/", "/assets/"].contains(where: request.path.hasPrefix) else {
            return .refusal(403, "This browser is not signed in. Run: woodshed open")
        }
        // A link on another site brings no cookie along, but the same request from a page of our own does. This cannot go on for ever: a
        // request from our page is not cross-site.
        if ["cross-site", "same-site"].contains(request.header("Sec-Fetch-Site")), request.header("Sec-Fetch-Dest") == "document",
            request.method == "GET", request.path != "/open"
        {
            return .page(200, "<meta http-equiv=\"refresh\" content=\"0\"><p>One moment.</p>")
        }
        guard seat(of: request) != nil else { return .page(403, Self.atHome) }
        let reason = "This address was used already, or its time is over."
        if entrance != nil { return TokenEntrance.form(403, spent ? "\(reason) \(Self.tabletAdvice)" : "") }
        let advice = "To see your plans in this browser, run: <code>woodshed open</code>"
        return .page(403, "<h1>Not signed in</h1><p>\(spent ? "\(reason) \(advice)" : advice)</p>")
    }

    private static let atHome =
        "<h1>Not signed in</h1><p>This browser is on the computer that runs Woodshed, and this address is for others. "
        + "To see your plans here, run: <code>woodshed open</code></p>"

    private static let tabletAdvice =
        "For a new code, run “woodshed open --tablet” on the computer, or take “Bring in a tablet” on its page of plans."

    /// Why a change is refused: it must come from a page of ours, in a browser that was let in.
    func objection(to request: WebRequest, of guest: Guest) -> WebReply? {
        guard Self.isFromOwnPage(request) else { return .refusal(403, "Changes are accepted only from Woodshed's own pages.") }
        guard let token = request.header(Self.tokenHeader), guest.session.isToken(token) else {
            return .refusal(403, "This page was loaded before the browser signed in. Reload it.")
        }
        guard guest.session.mayChange || Self.lookedWith.contains(request.path) else { return Self.onlyLooks }
        let isJSON = request.header("Content-Type")?.lowercased().hasPrefix("application/json") == true
        return isJSON ? nil : .refusal(415, "Changes must be sent as JSON.")
    }

    /// Sent by the pages of a guest, who only looks: the page on screen, a damaged image, and signing out.
    private static let lookedWith: Set<String> = ["/api/look", "/api/select", "/api/damaged", "/api/end"]

    static var onlyLooks: WebReply { .refusal(403, "A guest looks at everything, and changes and saves nothing.") }

    /// Returns whether another site's page asks: with an image, a script, a frame. Browsers report that themselves.
    static func isFromElsewhere(_ request: WebRequest) -> Bool {
        guard let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return false }
        return request.header("Sec-Fetch-Dest") != "document" || request.header("Sec-Fetch-Mode") != "navigate"
    }

    /// Returns whether a page of ours sent this. The server answers only under its own names, so the host is one of them.
    private static func isFromOwnPage(_ request: WebRequest) -> Bool {
        request.values(ofHeader: "Origin") == ["http://" + (request.header("Host") ?? "").lowercased()]
    }

    private static func isOfThisMachine(_ request: WebRequest) -> Bool {
        isOfThisMachine(host: request.header("Host") ?? "", peer: request.peer)
    }

    /// Returns whether a browser is on this machine: by the name it used, and by its address. From the network, any name can be used.
    static func isOfThisMachine(host: String, peer: IPAddress?) -> Bool {
        guard peer?.isLoopback == true else { return false }
        let name = host.lowercased().prefix { $0 != ":" }
        return WebServer.loopbackNames.contains(String(name)) || name.hasSuffix(".localhost")
    }

    /// On the network, the token goes behind the address, a part that browsers send to nobody. A page that signs in without being left asks
    /// for it as JSON.
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

    /// Good for a month: a browser that was closed overnight is still let in.
    private static func cookie(_ cookie: String, _ request: WebRequest) -> String {
        "\(cookieName(request))=\(cookie); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(30 * 86_400)"
    }

    /// The cookies that are, or were, ours.
    private static func cookies(of request: WebRequest) -> [String] {
        let start = cookieName(request) + "="
        return request.values(ofHeader: "Cookie").flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ";")).compactMap { part in
                let part = part.drop { $0 == UInt8(ascii: " ") }
                return part.starts(with: start.utf8) ? String(Substring(part.dropFirst(start.utf8.count))) : nil
            }
        }
    }

    /// All ports of a machine share their cookies, so each agent's cookie has its own name.
    private static func cookieName(_ request: WebRequest) -> String { "woodshed-\(port(request))" }

    private static func port(_ request: WebRequest) -> Substring {
        Substring((request.header("Host") ?? "").utf8.split(separator: UInt8(ascii: ":")).last ?? Substring().utf8)
    }
}
