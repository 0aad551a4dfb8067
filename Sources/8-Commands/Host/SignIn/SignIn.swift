package import CommandLine
package import Configuration
package import Model
package import PlanningCenter
package import Platform

/// A musician's sign-in at the service with a browser: its tokens and their renewal. `SignInFile` stores them.
@LoopActor
package final class SignIn: CredentialSource {
    package enum Place: String, Codable {
        case file, keyring
    }

    package nonisolated let isCheap = true
    private let file: SignInFile
    private let account: Options.Account
    private let output: Output
    private let clock: any TimeKeeper
    private let transport: any HTTPTransport

    /// The id of the sign-in that `last` belongs to.
    private var id: String?
    private var last: SignInTokens?
    /// The earliest time of the next renewal, independent of changes to the wall clock.
    private var next: Moment?
    /// Renewed tokens that have not been written yet, with the id of their sign-in.
    private var unwritten: (tokens: SignInTokens, id: String)?

    /// How long before their expiry tokens are renewed.
    private static let ahead: Duration = .seconds(300)
    /// The minimum time between two attempts at a renewal, unless the service refuses the token.
    private static let pause: Duration = .seconds(60)

    package init(_ configuration: Configuration, context: CommandContext) {
        file = SignInFile(configuration, context: context)
        account = configuration.options.account
        (output, clock) = (context.output, context.clock)
        transport = configuration.options.transport(clock: context.clock)
    }

    package var path: String { file.path }

    /// The application through which the musician signs in.
    package func application() throws(Trouble) -> SignInApplication {
        guard let id = account.signIn else { throw Trouble("account.sign_in names no application") }
        return try application(id, of: account.apiURL)
    }

    private func application(_ id: String, of service: String) throws(Trouble) -> SignInApplication {
        // Send the secret only for the configured application at its service.
        let isConfigured = id == account.signIn && service == account.apiURL
        let secret = try (isConfigured ? account.signInSecret : nil).map { path throws(Trouble) in
            Secret(try SecretSource.line(try SecretSource.privateBytes(path, isShared: true), from: path, form: "the application's secret"))
        }
        guard
            let application = SignInApplication(
                id: id, secret: secret, apiURL: service, userAgent: Release.userAgent, transport: transport, time: clock)
        else { throw Trouble("account.api_url cannot be used; it must look like \(Account.usualURL)") }
        return application
    }

    /// The id of the sign-in, which is not secret.
    package func publicID() throws(Trouble) -> String { try file.note().id }

    // MARK: - The client's token

    /// The access token in the file, or an empty one if the keyring stores it. So an agent starts immediately, even without a
    /// network or while the keyring is locked.
    package func first() async throws(Trouble) -> Secret {
        let note = try file.note()
        id = note.id
        last = note.tokens?.revived
        return last?.access ?? Secret("")
    }

    package func isDue(_ token: Secret) -> Bool { token.revealed.isEmpty || token == last?.access && isDue }

    /// Whether the file is for another sign-in or has another token than when it was last read. True if it cannot be read.
    package var hasNews: Bool {
        guard let note = try? file.note() else { return true }
        return note.id != id || note.tokens.map { $0.access != last?.access.revealed } ?? false
    }

    private var isDue: Bool {
        guard let last else { return false }
        return (next.map { clock.now >= $0 } ?? true) && runsOut(last)
    }

    private func runsOut(_ tokens: SignInTokens) -> Bool { clock.timestamp + Self.ahead >= tokens.expires }

    /// The token to send now. It is renewed if it is about to expire or the service refused the last one. If the renewal fails,
    /// throws if the service refused this token. Otherwise returns the old token, since the charts on this machine can be used
    /// even without a valid one.
    package func read(wasRefused: Bool) async throws -> Secret {
        let wasDue = isDue
        // Set `next` before the first await, so that only one call sees the tokens as due.
        if wasDue || wasRefused { next = clock.now + Self.pause }
        return try await file.alone { () async throws in
            let note = try file.note()
            id = note.id
            await writeWhatIsNew(note)
            let kept = try await tokens(note)
            // Another program may have renewed the tokens meanwhile.
            let isFamiliar = kept.access == last?.access
            last = kept
            let isRefused = wasRefused && isFamiliar
            guard isRefused || runsOut(kept) && (wasDue || !isFamiliar) else { return kept.access }
            next = clock.now + Self.pause
            let application = try application()
            do throws(ServiceFailure) {
                let new = try await application.renewed(kept)
                (last, unwritten) = (new, (new, note.id))
            } catch {
                guard isRefused else { return kept.access }
                throw error
            }
            await writeWhatIsNew(note)
            return last?.access ?? kept.access
        }
    }

    private func tokens(_ note: SignInFile.Note) async throws -> SignInTokens {
        if let unwritten, unwritten.id == note.id { return unwritten.tokens }
        return try await file.tokens(note)
    }

    /// Writes renewed tokens. If that fails for now, as on a full disk, keeps the tokens to try again, since the former tokens are
    /// no longer valid.
    private func writeWhatIsNew(_ note: SignInFile.Note) async {
        guard let new = unwritten else { return }
        do {
            if new.id == note.id { try await file.write(new.tokens, note) }
            unwritten = nil
        } catch {
            output.warning(
                "the renewed sign-in could not be kept, which is tried again; if this program ends before, sign in again: \(error)")
        }
    }

    // MARK: - Signing in and out

    /// Stores the tokens of a musician who has just signed in.
    package func keep(_ tokens: SignInTokens, in place: Place) async throws {
        let note = try file.newNote(in: place)
        let former = try await file.alone { () async throws in
            // The former sign-in is no longer useful, whatever was configured when it was made.
            let former = try? file.anyNote()
            let formerTokens = if let former { try? await self.tokens(former) } else { nil as SignInTokens? }
            try await file.write(tokens, note, isNew: true)
            if let former { try? await file.clear(former) }
            return former.flatMap { note in formerTokens.map { (note, $0) } }
        }
        // Outside the lock: the former service may not respond, and an agent may be waiting for the file.
        if let (note, tokens) = former { try? await application(note.application, of: note.service).end(tokens) }
    }

    /// Deletes the tokens here and revokes them at the service that issued them. Returns why the service did not revoke them, if it
    /// did not. Works on any file, even a damaged one, and above all on one that others can read.
    package func end() async throws -> String? {
        try await file.alone { () async throws in
            try file.checkIsThere()
            var trouble: String?
            do {
                if let note = try file.anyNote() {
                    let tokens = try await tokens(note)
                    try await file.clear(note)
                    try await application(note.application, of: note.service).end(tokens)
                } else {
                    trouble = "\(path) is damaged"
                }
            } catch {
                trouble = "\(error)"
            }
            try file.remove()
            return trouble
        }
    }
}

/// A token that is read from the configured source and never renewed.
private struct ConfiguredSecret: CredentialSource {
    let source: SecretSource
    let environment: Environment
    let clock: any TimeKeeper

    var isCheap: Bool { source.isCheap }
    func read(wasRefused: Bool) async throws -> Secret { try await source.read(environment: environment, clock: clock) }
}

extension SecretSource {
    /// The client's source of tokens, at the start and whenever it needs another.
    @LoopActor
    package func credentials(_ configuration: Configuration, _ context: CommandContext) -> any CredentialSource {
        self == .signIn
            ? SignIn(configuration, context: context)
            : ConfiguredSecret(source: self, environment: context.environment, clock: context.clock)
    }

    /// The file whose changes may bring a new token; nil if there is none.
    func file(_ configuration: Configuration) -> String? {
        switch self {
        case .file(let path): path
        case .signIn: SignInFile.path(configuration.paths)
        case .credential, .command: nil
        }
    }
}
