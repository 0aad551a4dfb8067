import Model
import Platform
import Synchronization

/// The browsers that are let in, with an address from `woodshed open` or with the token; each is known by the hash of its cookie.
///
/// They are remembered for as long as the port is taken, and only in memory: once the port is free, another user of this
/// machine could listen there and be sent the cookie of a page that is still open. By then it must be worthless; how such a page comes
/// back all the same, `ReturnKey` knows.
final class Sessions: Sendable {
    private struct State {
        /// Oldest first.
        var hashes: [Digest] = []
        /// Secrets that were issued and not used yet, with where each leads.
        var invitations: [Digest: Pending] = [:]

        mutating func letIn(_ cookie: String) { hashes = (hashes + [Sessions.hash(cookie)]).suffix(Sessions.limit) }
    }

    private struct Pending {
        let place: String
        /// To be called once the secret is no longer valid.
        var endings: [@Sendable () -> Void] = []

        func end() { for ending in endings { ending() } }
    }

    /// More browsers than one musician has; beyond that, the oldest has to be let in again.
    private static let limit = 32

    private let state = Mutex(State())

    /// What a page sends along with every change: derived from the cookie, and useless without it.
    static func token(of cookie: String) -> String { SHA256.digest(of: "woodshed token " + cookie).hex }

    /// Makes a secret that can be used once.
    func invite(to place: String) -> String {
        let secret = Secret.random().revealed
        state.withLock { $0.invitations[Self.hash(secret)] = Pending(place: place) }
        return secret
    }

    /// Ends a secret whose time is over.
    func withdraw(_ secret: String) {
        state.withLock { $0.invitations.removeValue(forKey: Self.hash(secret)) }?.end()
    }

    /// Calls `body` once a secret is no longer valid; at once if that is so already.
    func whenOver(_ secret: String, _ body: @escaping @Sendable () -> Void) {
        let isPending = state.withLock { $0.invitations[Self.hash(secret)]?.endings.append(body) } != nil
        if !isPending { body() }
    }

    /// Makes a cookie that is accepted from now on.
    func admit() -> String {
        let cookie = Secret.random().revealed
        state.withLock { $0.letIn(cookie) }
        return cookie
    }

    /// Exchanges a secret for a cookie, and says where it leads; `nil` if it is not, or no longer, valid.
    func admit(_ secret: String) -> (cookie: String, place: String)? {
        let cookie = Secret.random().revealed
        let pending = state.withLock { state in
            let pending = state.invitations.removeValue(forKey: Self.hash(secret))
            if pending != nil { state.letIn(cookie) }
            return pending
        }
        pending?.end()
        return pending.map { (cookie, $0.place) }
    }

    /// Locks out everybody who was let in before.
    func forget() {
        let pending = state.withLock { state in
            defer { state = State() }
            return state.invitations.values
        }
        for each in pending { each.end() }
    }

    /// Whether this cookie was issued. Hashes are compared, so the time that it takes reveals nothing about the cookie.
    func knows(_ cookie: String) -> Bool {
        let hash = Self.hash(cookie)
        return state.withLock { $0.hashes.contains(hash) }
    }

    private static func hash(_ secret: String) -> Digest { SHA256.digest(of: secret) }
}
