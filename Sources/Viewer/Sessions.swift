import Glibc
import Model
import Platform
import Synchronization

/// Who is let in: browsers that came with an address of `woodshed open`, each known by the hash of its cookie.
///
/// They are remembered in a file of the runtime folder, so that an agent started anew in the middle of a service lets the
/// music stand stay, and a login later asks once more: while no agent runs, somebody else on this machine could listen at
/// the port and be sent the cookie of a page that is still open. The file holds hashes, which open nothing.
final class Sessions: Sendable {
    private struct State {
        /// Oldest first.
        var hashes: [Digest] = []
        /// Secrets that were given out and not used, with where each leads.
        var invitations: [Digest: String] = [:]
    }

    /// More browsers than one musician has; then the oldest has to be let in anew.
    private static let limit = 32

    private let state: Mutex<State>
    private let path: String?

    /// Reads who was let in before; a file that cannot be read lets nobody in.
    init(path: String?) {
        self.path = path
        let bytes = path.flatMap { try? AtomicFile.read($0, limit: 64 << 10) } ?? []
        let hashes = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Digest(hex: String($0)) }
        state = Mutex(State(hashes: hashes.suffix(Self.limit)))
    }

    /// 256 bits that nobody guesses, as hexadecimal digits.
    static func newSecret() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// What a page sends along with every change: bound to the cookie, and of no use without it.
    static func token(of cookie: String) -> String { SHA256.digest(of: "woodshed token " + cookie).hex }

    /// Makes a secret that is good once.
    func invite(to place: String) -> String {
        let secret = Self.newSecret()
        state.withLock { $0.invitations[Self.hash(secret)] = place }
        return secret
    }

    /// Its time is over.
    func withdraw(_ secret: String) {
        state.withLock { _ = $0.invitations.removeValue(forKey: Self.hash(secret)) }
    }

    /// Exchanges a secret for a cookie, and tells where it leads; `nil` for one that is not good, or no more.
    func admit(_ secret: String) -> (cookie: String, place: String)? {
        let cookie = Self.newSecret()
        return state.withLock { state in
            guard let place = state.invitations.removeValue(forKey: Self.hash(secret)) else { return nil }
            state.hashes = (state.hashes + [Self.hash(cookie)]).suffix(Self.limit)
            let lines = state.hashes.map { $0.hex + "\n" }.joined()
            // One that cannot be written costs a `woodshed open` after the next start.
            if let path { try? AtomicFile.write(lines, to: path, mode: 0o600) }
            return (cookie, place)
        }
    }

    /// Whether this cookie was given out. Hashes are compared: how long that takes tells nothing of the cookie.
    func knows(_ cookie: String) -> Bool {
        let hash = Self.hash(cookie)
        return state.withLock { $0.hashes.contains(hash) }
    }

    private static func hash(_ secret: String) -> Digest { SHA256.digest(of: secret) }
}
