public import Model
import Platform
import Synchronization

/// The browsers that are let in, with an address from `woodshed open` or with the token; each is known by the hash of its cookie.
///
/// They are remembered only while the port is held, and only in memory: once the port is free, another user of this machine could listen
/// there and be sent the cookie of a page that is still open. By then it must be worthless; how such a page comes back all the same,
/// `ReturnKey` knows.
final class Sessions: Sendable {
    private struct State {
        /// Oldest first.
        var hashes: [Digest] = []
        /// Secrets that were issued and not used yet: where each leads, and what is to be done once it is no longer valid.
        var invitations: [Digest: (place: String, end: @Sendable () -> Void)] = [:]

        /// Makes a cookie that is accepted from now on.
        mutating func admit() -> String {
            let cookie = Secret.random().revealed
            hashes = (hashes + [SHA256.digest(of: cookie)]).suffix(Sessions.limit)
            return cookie
        }
    }

    /// More browsers than one musician has; beyond that, the oldest has to be let in again.
    private static let limit = 32

    private let state = Mutex(State())

    /// The token that a page sends along with every change: derived from the cookie, and useless without it.
    static func token(of cookie: String) -> String { SHA256.digest(of: "woodshed token " + cookie).hex }

    /// Makes a secret that can be used once: 128 bits, since a code that a camera reads has fewer and larger dots the shorter it is.
    func invite(to place: String) -> String {
        let secret = String(Secret.random().revealed.prefix(32))
        state.withLock { $0.invitations[SHA256.digest(of: secret)] = (place, {}) }
        return secret
    }

    /// Ends a secret whose time is over.
    func withdraw(_ secret: String) { state.withLock { $0.invitations.removeValue(forKey: SHA256.digest(of: secret)) }?.end() }

    /// Calls `body` once a secret is no longer valid; at once if that is so already.
    func whenOver(_ secret: String, _ body: @escaping @Sendable () -> Void) {
        let isPending = state.withLock { $0.invitations[SHA256.digest(of: secret)]?.end = body } != nil
        if !isPending { body() }
    }

    func admit() -> String { state.withLock { $0.admit() } }

    /// Exchanges a secret for a cookie, and says where it leads; `nil` if it is not, or no longer, valid.
    func admit(_ secret: String) -> (cookie: String, place: String)? {
        let found = state.withLock { state in
            state.invitations.removeValue(forKey: SHA256.digest(of: secret)).map { ($0, state.admit()) }
        }
        found?.0.end()
        return found.map { ($1, $0.place) }
    }

    /// Locks out all browsers, and ends all secrets.
    func forget() {
        let pending = state.withLock { state in
            defer { state = State() }
            return state.invitations.values
        }
        for each in pending { each.end() }
    }

    /// Returns whether this cookie was issued. Hashes are compared, so the time that it takes reveals nothing about the cookie.
    func knows(_ cookie: String) -> Bool {
        let hash = SHA256.digest(of: cookie)
        return state.withLock { $0.hashes.contains(hash) }
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
