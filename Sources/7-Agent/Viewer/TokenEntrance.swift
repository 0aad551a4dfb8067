import LocalHTTP
import Model
import Platform

/// Signs in browsers elsewhere on the network that send the token.
///
/// Wrong tries within the last minute are counted by address, so that one device cannot block the others. Tries from unknown addresses are
/// also counted together. This second limit does not apply to this machine's own browsers and to addresses of earlier sign-ins.
@LoopActor
final class TokenEntrance {
    enum Verdict: Equatable {
        /// The guests' token only allows looking.
        case right(mayChange: Bool)
        case wrong
        /// Not checked, after too many wrong tries.
        case exhausted
    }

    /// The most wrong tries from one address.
    private static let mostMisses = 5
    /// The most from all unknown addresses together: an attacker may have many addresses, and any number of IPv6 addresses.
    private static let mostMissesInAll = 20
    private static let memory = Duration.seconds(60)

    private let token: Secret
    /// The token that only allows looking, if any.
    private var guestToken: Secret?
    private let clock: any TimeKeeper
    private let known: KnownAddresses
    private let log: Log
    /// Whether the log mentions the present pause in checking tokens.
    private var isTold = false
    /// The wrong tries within the last minute: their addresses and times.
    private var misses: [(from: IPAddress?, at: Moment)] = []
    /// Called before a token lets anybody in, to check the tokens' files for changes that caused no event.
    var lookAtFiles: () -> Void = {}

    /// `folder` stores the addresses of earlier sign-ins.
    nonisolated init(token: Secret, guestToken: Secret? = nil, folder: String? = nil, clock: any TimeKeeper, log: Log = .silent) {
        self.token = Secret(Self.hash(token.revealed.utf8))
        self.guestToken = guestToken.map { Secret(Self.hash($0.revealed.utf8)) }
        (self.clock, self.log) = (clock, log)
        known = KnownAddresses(folder: folder)
    }

    /// Takes over another token for guests.
    func adopt(guestToken: Secret?) { self.guestToken = guestToken.map { Secret(Self.hash($0.revealed.utf8)) } }

    /// Checks the form from an address: `token=`, the token, and a line break.
    func judge(_ body: [UInt8], from address: IPAddress?) -> Verdict {
        let now = clock.now
        misses.removeAll { now - $0.at >= Self.memory }
        if misses.isEmpty { isTold = false }
        guard mayTry(address) else {
            if !isTold { log.warning(Self.warning(address)) }
            isTold = true
            return .exhausted
        }
        // Tokens have no blanks, so drop those that a tablet adds, and the form's line break.
        let given = Self.hash(body.dropFirst(Self.field.utf8.count).filter { $0 > 32 })
        let mayChange = token.isSame(as: given)
        if body.starts(with: Self.field.utf8), mayChange || guestToken?.isSame(as: given) == true {
            noteSignIn(from: address)
            return .right(mayChange: mayChange)
        }
        misses.append((address, now))
        return .wrong
    }

    /// Notes a sign-in from this address, by the token or by a code.
    func noteSignIn(from address: IPAddress?) { if let address, !Self.here.contains(address) { known.add(address) } }

    private func mayTry(_ address: IPAddress?) -> Bool {
        guard misses.count(where: { $0.from == address }) < Self.mostMisses else { return false }
        if isKnown(address) { return true }
        return misses.count { !isKnown($0.from) } < Self.mostMissesInAll
    }

    private func isKnown(_ address: IPAddress?) -> Bool { address.map { Self.here.contains($0) || known.contains($0) } ?? false }

    /// The addresses of browsers on this machine.
    private static let here: [IPAddress] = [.loopback, .loopback6]

    private static func warning(_ address: IPAddress?) -> String {
        "too many wrong tokens were sent to the pages, the last from \(address.map(String.init(describing:)) ?? "nowhere"), so no more are "
            + "tried for a minute; if that was not you, somebody on this network guesses"
    }

    nonisolated static let isClosed =
        "Nobody can sign in at present: the token's file on the computer that runs Woodshed is away or cannot be used. “woodshed status” says why."

    /// The hash of a token. Hashes all have the same length, so comparing them does not reveal a token's length.
    private nonisolated static func hash(_ bytes: some Sequence<UInt8>) -> String { SHA256.digest(of: Array(bytes)).hex }

    private static let field = "token="

    /// The page that asks for the token. The page runs no script. Unlike all other pages, it may send its form, with its origin, to
    /// this server. Its style is inline, since no file is sent before sign-in. The page has no text by others that could pose as
    /// style.
    nonisolated static func form(_ status: Int, _ remark: String = "") -> WebReply {
        var reply = WebReply.page(
            status,
            """
            <h1>Woodshed</h1><p role="status">\(remark)</p>
            <form method="post" enctype="text/plain">
            <p><label for="token">Token</label><input id="token" name="token" type="text" autocomplete="off" autocapitalize="off"
            spellcheck="false" required autofocus></p>
            <p><label><input id="shown" type="checkbox"> Show what I type</label></p>
            <p><button>Sign in</button></p>
            </form>
            <p>A code needs no token: ask whoever looks after the laptop for one, and hold this tablet’s camera to it.</p>
            <details><summary>For whoever looks after this laptop</summary><p>For a code, run <code>woodshed open --tablet</code> there, or
            take “Bring in a tablet” on its page of plans. The token is in the file that <code>viewer.token_file</code> names. In a browser
            on the laptop itself, <code>woodshed open</code> signs in; <code>woodshed help tablet</code> says more.</p></details>
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

    /// Large enough for fingers, in the colours of the other pages. The input is masked until the user shows it.
    private nonisolated static let style = """
        :root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; background: #f6f1e8; color: #221c16 }
        main { max-width: 30rem; margin: 12vh auto; padding: 0 1.5rem } h1 { font: 600 2rem/1.2 "Palatino Linotype", Georgia, serif }
        label { display: block } label:has(input) { display: flex; align-items: center; gap: 0.5rem; min-height: 44px }
        summary { min-height: 44px; cursor: pointer }
        input, button { min-height: 48px; min-width: 44px; box-sizing: border-box; padding: 0 1rem; font: inherit }
        #token { width: 100%; border: 1px solid #62574a; border-radius: 12px; background: #fffdf8; color: inherit }
        #token { -webkit-text-security: disc }
        form:has(#shown:checked) #token { -webkit-text-security: none } #shown { min-height: 24px; min-width: 24px }
        button { border: 0; border-radius: 999px; background: #8a3420; color: #fff8ee; font-weight: 600 }
        @media (prefers-color-scheme: dark) { :root { background: #171310; color: #f1e8da }
        #token { background: #211c17; border-color: #b5a794 } button { background: #eda27f; color: #2a120a } }
        """
}
