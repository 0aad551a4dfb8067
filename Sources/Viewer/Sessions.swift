import Model
import Platform
import Synchronization

/// Who is let in: browsers that came with an address of `woodshed open` or with the token, each known by the hash of its cookie.
///
/// They are remembered for as long as the port is held, and nowhere but here: as soon as it is free, another user of this
/// machine can listen there and be sent the cookie of a page that is still open. It must open nothing after that.
final class Sessions: Sendable {
    private struct State {
        /// Oldest first.
        var hashes: [Digest] = []
        /// Secrets that were given out and not used, with where each leads.
        var invitations: [Digest: Pending] = [:]

        mutating func letIn(_ cookie: String) { hashes = (hashes + [Sessions.hash(cookie)]).suffix(Sessions.limit) }
    }

    private struct Pending {
        let place: String
        /// What is to be done when it is not good any more.
        var endings: [@Sendable () -> Void] = []

        func end() { for ending in endings { ending() } }
    }

    /// More browsers than one musician has; then the oldest has to be let in anew.
    private static let limit = 32

    private let state = Mutex(State())

    /// What a page sends along with every change: bound to the cookie, and of no use without it.
    static func token(of cookie: String) -> String { SHA256.digest(of: "woodshed token " + cookie).hex }

    /// Makes a secret that is good once.
    func invite(to place: String) -> String {
        let secret = Secret.random().revealed
        state.withLock { $0.invitations[Self.hash(secret)] = Pending(place: place) }
        return secret
    }

    /// Its time is over.
    func withdraw(_ secret: String) {
        state.withLock { $0.invitations.removeValue(forKey: Self.hash(secret)) }?.end()
    }

    /// Calls `body` once a secret is not good any more; at once if that is so already.
    func whenOver(_ secret: String, _ body: @escaping @Sendable () -> Void) {
        let isPending = state.withLock { $0.invitations[Self.hash(secret)]?.endings.append(body) } != nil
        if !isPending { body() }
    }

    /// Makes a cookie that is let in from now on.
    func admit() -> String {
        let cookie = Secret.random().revealed
        state.withLock { $0.letIn(cookie) }
        return cookie
    }

    /// Exchanges a secret for a cookie, and tells where it leads; `nil` for one that is not good, or no more.
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

    /// Lets nobody in who was let in before.
    func forget() {
        let pending = state.withLock { state in
            defer { state = State() }
            return state.invitations.values
        }
        for each in pending { each.end() }
    }

    /// Whether this cookie was given out. Hashes are compared: how long that takes tells nothing of the cookie.
    func knows(_ cookie: String) -> Bool {
        let hash = Self.hash(cookie)
        return state.withLock { $0.hashes.contains(hash) }
    }

    private static func hash(_ secret: String) -> Digest { SHA256.digest(of: secret) }
}
