public import Model
import Platform
import Synchronization

/// The signed-in browsers, let in by an address from `woodshed open` or by the token; each is identified by its cookie's hash.
///
/// They are remembered only in memory, and only while the port is held: once the port is free, another user of this machine could
/// listen there and receive the cookie of an open page. The cookie must be worthless by then; `ReturnKey` lets such a page return
/// without it.
final class Sessions: Sendable {
    /// Where a browser is: on this machine, under one of its own names, or on the network.
    enum Seat: Hashable, Sendable {
        case here
        case network
    }

    /// One browser that was let in.
    struct Session: Sendable {
        let seat: Seat
        let name: String
        /// False for a guest, who may only look.
        let mayChange: Bool
        let since: Timestamp
        /// The path to which its address led.
        let place: String
        /// The hash of its cookie.
        fileprivate let cookie: Digest
        /// The hash of the token that its pages also send; see `Admission`.
        fileprivate let token: Digest

        /// Identifies the browser; not secret.
        var key: String { cookie.hex }

        /// Whether this is the token of its pages.
        func isToken(_ text: String) -> Bool { SHA256.digest(of: text) == token }

        var browser: ViewerBrowser {
            ViewerBrowser(id: String(cookie.shortHex.prefix(8)), name: mayChange ? name : name + ", a guest", since: since)
        }
    }

    /// The secrets that a browser gets when it is let in.
    struct Admission: Sendable {
        let cookie: String
        /// The token of the browser's pages. On this machine, they send it with every change, and it is derived from the cookie. On
        /// the network, they send it with every request; since a listener on another port of the same address receives the cookie,
        /// too, the token is a separate secret there, which browsers store for this port alone.
        let token: String
        let mayChange: Bool
    }

    private struct State {
        typealias Invited = (place: String, since: Timestamp, end: @Sendable () -> Void)
        /// Oldest first.
        var sessions: [Session] = []
        /// Unused secrets, by their hashes: the page that each leads to, when it was issued, and a function to call when it is no longer
        /// valid.
        var invitations: [Digest: Invited] = [:]
        var closed = ClosedDoor.none

        /// Creates a valid cookie. The browser's former cookies for this seat become invalid: the new one replaces them.
        mutating func admit(
            _ seat: Seat, _ name: String, mayChange: Bool, _ now: Timestamp, to place: String = "/", replacing former: [Digest]
        ) -> Admission {
            sessions.removeAll { $0.seat == seat && former.contains($0.cookie) }
            let cookie = Secret.random().revealed
            let token = seat == .here ? Sessions.token(of: cookie) : Secret.random().revealed
            let session = Session(
                seat: seat, name: name, mayChange: mayChange, since: now, place: place, cookie: SHA256.digest(of: cookie),
                token: SHA256.digest(of: token))
            // Guests replace only guests, and musicians only musicians, however many come.
            let alike = sessions.indices.filter { sessions[$0].mayChange == mayChange }
            if alike.count >= (mayChange ? Sessions.limit : Sessions.guestLimit) { sessions.remove(at: alike[0]) }
            sessions.append(session)
            return Admission(cookie: cookie, token: token, mayChange: mayChange)
        }
    }

    /// More browsers than one musician has; beyond that, the oldest has to sign in again.
    private static let limit = 32
    private static let guestLimit = 16

    private let state = Mutex(State())

    /// The token that pages on this machine send with every change.
    static func token(of cookie: String) -> String { SHA256.digest(of: "woodshed token " + cookie).hex }

    /// Creates a secret for one use. 128 bits, since a shorter code has fewer and larger dots for cameras.
    func invite(to place: String, now: Timestamp) -> String {
        let secret = String(Secret.random().revealed.prefix(32))
        state.withLock { $0.invitations[SHA256.digest(of: secret)] = (place, now, {}) }
        return secret
    }

    /// Ends a secret that has expired.
    func withdraw(_ secret: String) { state.withLock { $0.invitations.removeValue(forKey: SHA256.digest(of: secret)) }?.end() }

    /// Calls `body` once a secret is no longer valid; immediately if this has already happened.
    func whenOver(_ secret: String, _ body: @escaping @Sendable () -> Void) {
        let isPending = state.withLock { $0.invitations[SHA256.digest(of: secret)]?.end = body } != nil
        if !isPending { body() }
    }

    /// Lets in a browser with this name, and invalidates its former cookies.
    func admit(
        _ seat: Seat, _ name: String, mayChange: Bool = true, now: Timestamp, replacing cookies: [String] = []
    ) -> Admission {
        let former = cookies.map { SHA256.digest(of: $0) }
        return state.withLock { $0.admit(seat, name, mayChange: mayChange, now, replacing: former) }
    }

    /// Lets in a browser with a secret, and returns the place that the secret leads to. Returns `nil` if the secret is not valid,
    /// or if it is used on the network while nobody there can sign in. The session counts from the time when the secret was issued,
    /// at most a few minutes ago.
    func admit(
        _ seat: Seat, _ name: String, by secret: String, replacing cookies: [String] = []
    ) -> (admission: Admission, place: String)? {
        let former = cookies.map { SHA256.digest(of: $0) }
        let found = state.withLock { state -> (State.Invited, Admission)? in
            // A refused sign-in must not use up the code.
            if seat == .network, state.closed == .all { return nil }
            return state.invitations.removeValue(forKey: SHA256.digest(of: secret)).map {
                ($0, state.admit(seat, name, mayChange: true, $0.since, to: $0.place, replacing: former))
            }
        }
        found?.0.end()
        return found.map { ($1, $0.place) }
    }

    /// The browsers on the network, in order of sign-in.
    var browsers: [ViewerBrowser] { state.withLock { $0.sessions.filter { $0.seat == .network }.map(\.browser) } }

    /// Signs out a browser on the network; returns whether there was one with this id.
    func end(_ id: String) -> Bool {
        state.withLock { state in
            let all = state.sessions.count
            state.sessions.removeAll { $0.seat == .network && $0.browser.id == id }
            return state.sessions.count < all
        }
    }

    /// The people on the network who cannot sign in at present; existing sessions continue.
    var closed: ClosedDoor {
        get { state.withLock { $0.closed } }
        set { state.withLock { $0.closed = newValue } }
    }

    /// Signs out these people's browsers on the network; returns whether there were any.
    func end(_ door: ClosedDoor) -> Bool {
        state.withLock { state in
            let all = state.sessions.count
            state.sessions.removeAll { $0.seat == .network && door.includes(mayChange: $0.mayChange) }
            return state.sessions.count < all
        }
    }

    /// Signs out all browsers, and ends all secrets.
    func forget() {
        let pending = state.withLock { state in
            defer {
                let closed = state.closed
                state = State()
                state.closed = closed
            }
            return state.invitations.values
        }
        for each in pending { each.end() }
    }

    /// The session with this cookie. Comparing hashes takes a time that reveals nothing about the cookie.
    func session(of cookie: String) -> Session? {
        let hash = SHA256.digest(of: cookie)
        return state.withLock { $0.sessions.first { $0.cookie == hash } }
    }

    /// The session of a browser on the network whose pages send this token.
    func session(onNetworkBy token: String) -> Session? {
        let hash = SHA256.digest(of: token)
        return state.withLock { $0.sessions.first { $0.seat == .network && $0.token == hash } }
    }
}

/// A page of the viewer that a browser can be sent to.
public enum ViewerPlace: Hashable, Sendable {
    case plans
    case plan(PlanID)
    /// A chart, by itself or in the running order of a plan.
    case chart(AttachmentID, plan: PlanID? = nil, item: ItemID? = nil)

    var path: String {
        switch self {
        case .plans: return "/"
        case .plan(let plan): return "/plan/" + plan.text.percentEncoded
        case .chart(let chart, let plan, let item):
            let query = [("plan", plan?.text), ("item", item?.text)].compactMap { name, value in
                value.map { "\(name)=\($0.percentEncoded)" }
            }
            return "/chart/" + chart.text.percentEncoded + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }
    }
}
