import LocalHTTP
import Model
import Platform

/// Where a browser from elsewhere in the network gives the token.
@LoopActor
final class Entrance {
    enum Verdict {
        case right
        case wrong
        /// Not looked at: there were too many wrong ones.
        case exhausted
    }

    /// From one address; another device is not shut out by it.
    private static let mostMisses = 5
    /// From all addresses of version 6 that begin alike: one device may have any number of these, but so begin those of a whole home.
    private static let mostMissesNearby = 30
    /// Of all together, for one who guesses may have many addresses.
    private static let mostMissesInAll = 60
    private static let memory = Duration.seconds(60)

    private let token: Secret
    private let clock: any TimeKeeper
    /// The wrong tries of the last minute: from where, and when.
    private var misses: [(from: IPAddress?, at: Moment)] = []

    nonisolated init(token: Secret, clock: any TimeKeeper) {
        self.token = Secret(Self.hash(token.revealed.utf8))
        self.clock = clock
    }

    /// Judges what the form sent from an address: `token=`, the token, and a line break.
    func judge(_ body: [UInt8], from address: IPAddress?) -> Verdict {
        let now = clock.now
        misses.removeAll { now - $0.at >= Self.memory }
        guard misses.count < Self.mostMissesInAll, misses.count(where: { $0.from == address }) < Self.mostMisses,
            misses.count(where: { $0.from?.network == address?.network }) < Self.mostMissesNearby || address?.isVersion6 != true
        else { return .exhausted }
        // A token has no blanks; one that a tablet put behind it does no harm.
        let given = Self.hash(body.dropFirst(Self.field.utf8.count).filter { $0 > 32 })
        if body.starts(with: Self.field.utf8), token.isSame(as: given) { return .right }
        misses.append((address, now))
        return .wrong
    }

    /// Hashes are compared, which are all of one length.
    private nonisolated static func hash(_ bytes: some Sequence<UInt8>) -> String { SHA256.digest(of: Array(bytes)).hex }

    private static let field = "token="

    /// The page that asks for it. It runs no script; what it may do, beyond all other pages, is to send its form here, and its
    /// origin along with that.
    nonisolated static func form(_ status: Int, _ remark: String = "") -> WebReply {
        var reply = WebReply.page(
            status,
            """
            <meta name="viewport" content="width=device-width"><h1>Woodshed</h1><p>\(remark)</p>
            <form method="post" action="/" enctype="text/plain">
            <p><label>Token: <input name="token" type="password" required autofocus></label> <button>Sign in</button></p>
            </form>
            <p>It is in the file that <code>viewer.token_file</code> names. On the machine itself, run: <code>woodshed open</code></p>
            """)
        reply.headers += [
            ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
            ("Referrer-Policy", "same-origin"),
        ]
        return reply
    }
}
