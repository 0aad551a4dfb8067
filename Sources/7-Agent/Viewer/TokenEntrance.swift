import LocalHTTP
import Model
import Platform

/// The way in for browsers elsewhere on the network: those that send the token.
///
/// Wrong tries of the last minute are counted by address, so that one device does not shut out the others.
@LoopActor
final class TokenEntrance {
    enum Verdict {
        case right
        case wrong
        /// Not checked, because there were too many wrong ones.
        case exhausted
    }

    /// The most wrong tries from one address.
    private static let mostMisses = 5
    /// The most from IPv6 addresses of one network: a single device may have any number of them, but they may also be a whole home's.
    private static let mostMissesNearby = 30
    /// The most from all addresses together, since an attacker may have many.
    private static let mostMissesInAll = 60
    private static let memory = Duration.seconds(60)

    private let token: Secret
    private let clock: any TimeKeeper
    /// The wrong tries within the last minute: from where, and when.
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
        // A token has no blanks, so one that a tablet adds after it does no harm.
        let given = Self.hash(body.dropFirst(Self.field.utf8.count).filter { $0 > 32 })
        if body.starts(with: Self.field.utf8), token.isSame(as: given) { return .right }
        misses.append((address, now))
        return .wrong
    }

    /// The hash of a token. Hashes are compared, since they all have the same length.
    private nonisolated static func hash(_ bytes: some Sequence<UInt8>) -> String { SHA256.digest(of: Array(bytes)).hex }

    private static let field = "token="

    /// The page that asks for the token. It runs no script; unlike all other pages, it may send its form here, along with its origin.
    /// Its style stands in it, since no file is sent before the token: nothing here is other people's text that could pose as style.
    nonisolated static func form(_ status: Int, _ remark: String = "") -> WebReply {
        var reply = WebReply.page(
            status,
            """
            <h1>Woodshed</h1><p role="status">\(remark)</p>
            <form method="post" action="/" enctype="text/plain">
            <p><label for="token">Token</label><input id="token" name="token" type="text" autocomplete="off" autocapitalize="off"
            spellcheck="false" required autofocus></p>
            <p><label><input id="shown" type="checkbox"> Show what I type</label></p>
            <p><button>Sign in</button></p>
            </form>
            <p>It is in the file that <code>viewer.token_file</code> names. On the machine itself, run: <code>woodshed open</code></p>
            """,
            head: "<meta name=\"viewport\" content=\"width=device-width\"><style>\(style)</style>")
        reply.headers += [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            ),
            ("Referrer-Policy", "same-origin"),
        ]
        return reply
    }

    /// Easy to hit with a finger, in the colours of the other pages. What is typed is hidden until one asks to see it.
    private nonisolated static let style = """
        :root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; background: #f6f1e8; color: #221c16 }
        main { max-width: 30rem; margin: 12vh auto; padding: 0 1.5rem } h1 { font: 600 2rem/1.2 "Palatino Linotype", Georgia, serif }
        label { display: block } label:has(input) { display: flex; align-items: center; gap: 0.5rem; min-height: 44px }
        input, button { min-height: 48px; min-width: 44px; box-sizing: border-box; padding: 0 1rem; font: inherit }
        #token { width: 100%; border: 1px solid #62574a; border-radius: 12px; background: #fffdf8; color: inherit }
        #token { -webkit-text-security: disc }
        form:has(#shown:checked) #token { -webkit-text-security: none } #shown { min-height: 24px; min-width: 24px }
        button { border: 0; border-radius: 999px; background: #8a3420; color: #fff8ee; font-weight: 600 }
        @media (prefers-color-scheme: dark) { :root { background: #171310; color: #f1e8da }
        #token { background: #211c17; border-color: #b5a794 } button { background: #eda27f; color: #2a120a } }
        """
}
