package import CommandLine
package import Configuration
import FoundationEssentials
import Glibc
import Model
package import PlanningCenter
package import Platform

/// Somebody who signed in at the service with a browser: the tokens, and how they are renewed.
///
/// They are kept in a file beside the configuration, or in the desktop's keyring with only a note of that in the file. Where they are
/// is said once, when somebody signs in, and never changes by itself.
@LoopActor
package final class SignIn {
    package enum Place: String, Codable {
        case file, keyring
    }

    /// What the file says.
    private struct Note: Codable {
        /// Where and through which application it was allowed: nothing is sent anywhere else.
        var service: String
        var application: String
        /// Tells this sign-in from others, and is no secret.
        var id: String
        var place: Place
        /// If they are kept here.
        var tokens: Stored?
    }

    private struct Stored: Codable {
        var access: String
        var refresh: String?
        var expires: Timestamp
    }

    /// Where the file is.
    package let path: String
    private let account: Options.Account
    private let environment: Environment
    private let output: Output
    private let clock: any TimeKeeper
    private let transport: any HTTPTransport

    /// Which sign-in that was.
    private var id: String?
    /// What was given out last.
    private var last: SignInTokens?
    /// No attempt to renew before this.
    private var next = Timestamp(nanoseconds: .min)
    /// Renewed, and not written yet; with the id of the sign-in that they belong to.
    private var unwritten: (tokens: SignInTokens, id: String)?

    /// So long before they expire, tokens are renewed.
    private static let ahead: Duration = .seconds(300)
    /// Some services' tokens are long.
    private static let greatestSize = 32 << 10
    /// Between two attempts.
    private static let pause: Duration = .seconds(60)

    package init(_ configuration: Configuration, context: CommandContext) {
        path = Self.path(configuration.paths)
        account = configuration.options.account
        (environment, output, clock) = (context.environment, context.output, context.clock)
        transport = configuration.options.transport(clock: context.clock)
    }

    nonisolated package static func path(_ paths: Paths) -> String { Folder.parent(of: paths.configuration) + "/account-sign-in" }

    private func error(_ text: String) -> SecretError { SecretError("no token: \(text); run '\(woodshed("sign-in"))'") }

    /// The application that people sign in through.
    package func application() throws(SecretError) -> SignInApplication {
        guard let id = account.signIn else { throw SecretError("account.sign_in names no application") }
        return try application(id, of: account.apiURL)
    }

    private func application(_ id: String, of service: String) throws(SecretError) -> SignInApplication {
        // A secret is for the application that is configured, at its service.
        let isConfigured = id == account.signIn && service == account.apiURL
        let secret = try (isConfigured ? account.signInSecret : nil).map { path throws(SecretError) in
            Secret(try SecretSource.line(try SecretSource.privateBytes(path, isShared: true), from: path, form: "the application's secret"))
        }
        guard
            let application = SignInApplication(
                id: id, secret: secret, apiURL: service, userAgent: Release.userAgent, transport: transport, time: clock)
        else { throw SecretError("account.api_url cannot be used; it must look like \(Account.usualURL)") }
        return application
    }

    /// Which sign-in it is, without being secret.
    package func publicID() throws(SecretError) -> String { try note().id }

    /// Where the client gets its token from.
    package var source: CredentialSource {
        CredentialSource(
            isDue: { [self] in $0.revealed.isEmpty || $0 == last?.access && isDue }, isElsewhere: { [self] in !isOurs },
            first: { [self] () throws in try first() }, read: { [self] in try await token(wasRefused: $0) })
    }

    /// What an agent starts with, at once, for it is to start without a network, and while the keyring is locked: the token as it was
    /// kept, or an empty one.
    private func first() throws(SecretError) -> Secret {
        let note = try note()
        id = note.id
        last = note.tokens.map(Self.tokens)
        return last?.access ?? Secret("")
    }

    /// Whether what the file says is what we know.
    private var isOurs: Bool {
        guard let note = try? note() else { return false }
        return note.id == id && note.tokens.map { $0.access == last?.access.revealed } ?? true
    }

    private var isDue: Bool {
        guard let last else { return false }
        return clock.timestamp >= next && clock.timestamp + Self.ahead >= last.expires
    }

    /// The token to send now. It is renewed if it is about to expire, or if the service refused the one that was given out last; where
    /// that does not work for now, it stays as it is, since what is here can be played from without one.
    package func token(wasRefused: Bool) async throws -> Secret {
        let wasDue = isDue
        // Before anything is waited for.
        if wasDue || wasRefused { next = clock.timestamp + Self.pause }
        return try await alone { () async throws in
            let note = try note()
            id = note.id
            await writeWhatIsNew(note)
            let kept = try await tokens(note)
            // Another program may have renewed them meanwhile.
            let isFamiliar = kept.access == last?.access
            last = kept
            let runsOut = clock.timestamp + Self.ahead >= kept.expires
            let isRefused = wasRefused && isFamiliar
            guard isRefused || runsOut && (wasDue || !isFamiliar) else { return kept.access }
            next = clock.timestamp + Self.pause
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

    /// Keeps the tokens of somebody who has just signed in.
    package func keep(_ tokens: SignInTokens, in place: Place) async throws {
        try Folder.create(Folder.parent(of: path))
        try await alone { () async throws in
            let note = Note(
                service: account.apiURL, application: account.signIn ?? "", id: Secret.random().revealed, place: place, tokens: nil)
            // The former one is of no use any more.
            let former = try? self.note()
            let formerTokens = if let former { try? await self.tokens(former) } else { nil as SignInTokens? }
            try await write(tokens, note, isNew: true)
            if let formerTokens { try? await application().end(formerTokens) }
            if let former { try? await clear(former) }
        }
    }

    private func clear(_ note: Note) async throws {
        if note.place == .keyring { _ = try await Keyring(environment, clock).run("clear", note.id) }
    }

    /// Forgets them, here and at the service that gave them; answers why the service did not, if so. Whatever is wrong with the file, and
    /// above all if others could read it, it is good for that.
    package func end() async throws -> String? {
        try await alone { () async throws in
            var status = stat()
            guard lstat(path, &status) == 0 else { throw error("nobody has signed in") }
            var trouble: String?
            do {
                let note = try JSONDecoder().decode(Note.self, from: Data(try AtomicFile.read(path, limit: Self.greatestSize)))
                let tokens = try await tokens(note)
                try await clear(note)
                try await application(note.application, of: note.service).end(tokens)
            } catch {
                trouble = error is DecodingError ? "\(path) is damaged" : "\(error)"
            }
            guard unlink(path) == 0 else { throw SystemError("remove", path: path) }
            return trouble
        }
    }

    private func note() throws(SecretError) -> Note {
        var status = stat()
        guard lstat(path, &status) == 0 || errno != ENOENT else { throw error("nobody has signed in yet") }
        guard let note = try? JSONDecoder().decode(Note.self, from: Data(try SecretSource.privateBytes(path, limit: Self.greatestSize)))
        else {
            // What is wrong with the file itself has words of its own.
            _ = try SecretSource.privateBytes(path, limit: Self.greatestSize)
            throw error("\(path) is damaged")
        }
        guard note.service == account.apiURL, note.application == account.signIn else {
            throw error("somebody signed in at \(note.service) through \(note.application), and the configuration names another")
        }
        return note
    }

    private func tokens(_ note: Note) async throws -> SignInTokens {
        if let unwritten, unwritten.id == note.id { return unwritten.tokens }
        let stored: Stored?
        switch note.place {
        case .file: stored = note.tokens
        case .keyring:
            let text = try await Keyring(environment, clock).run("lookup", note.id)
            stored = try? JSONDecoder().decode(Stored.self, from: Data(text))
        }
        guard let stored else { throw error("\(note.place == .file ? path : "the keyring") has none") }
        return Self.tokens(stored)
    }

    private static func tokens(_ stored: Stored) -> SignInTokens {
        SignInTokens(access: Secret(stored.access), refresh: stored.refresh.map(Secret.init), expires: stored.expires)
    }

    /// What was renewed is good even where it cannot be kept for now, as on a full disk; and what was before it is good no longer.
    private func writeWhatIsNew(_ note: Note) async {
        guard let new = unwritten else { return }
        do {
            if new.id == note.id { try await write(new.tokens, note) }
            unwritten = nil
        } catch {
            output.warning(
                "the renewed sign-in could not be kept, which is tried again; if this program ends before, sign in again: \(error)")
        }
    }

    private func write(_ tokens: SignInTokens, _ note: Note, isNew: Bool = false) async throws {
        let stored = Stored(access: tokens.access.revealed, refresh: tokens.refresh?.revealed, expires: tokens.expires)
        var note = note
        switch note.place {
        case .file: note.tokens = stored
        case .keyring:
            _ = try await Keyring(environment, clock).run("store", note.id, input: Array(JSONEncoder().encode(stored)))
            // The file says only where they are, as before.
            guard isNew else { return }
        }
        try AtomicFile.write(String(decoding: JSONEncoder().encode(note), as: UTF8.self) + "\n", to: path)
    }

    /// Keeps other programs from renewing at the same time: each renewal makes the tokens before it worthless.
    private func alone<Value>(_ work: @LoopActor () async throws -> Value) async throws -> Value {
        let folder = Folder.parent(of: path)
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw error("nobody has signed in yet") }
        defer { close(lock) }
        let end = clock.now + .seconds(40)
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard clock.now < end else { throw ServiceFailure.offline("another program is busy with \(folder)") }
            try await clock.sleep(for: .milliseconds(100))
        }
        return try await work()
    }
}

extension SecretSource {
    /// How the client gets the token from here, at the start and whenever it needs another.
    @LoopActor
    package func credentials(_ configuration: Configuration, _ context: CommandContext) -> CredentialSource {
        guard self != .signIn else { return SignIn(configuration, context: context).source }
        return CredentialSource(isCheap: isCheap) { [environment = context.environment, clock = context.clock] _ in
            try await read(environment: environment, clock: clock)
        }
    }

    /// The file that it is in, whose change is worth another look.
    func file(_ configuration: Configuration) -> String? {
        switch self {
        case .file(let path): path
        case .signIn: SignIn.path(configuration.paths)
        case .credential, .command: nil
        }
    }
}

/// The desktop's keyring (Secret Service), through the program of its library.
@LoopActor
struct Keyring {
    private let environment: Environment
    private let clock: any TimeKeeper

    static let program = "secret-tool"

    init(_ environment: Environment, _ clock: any TimeKeeper) {
        (self.environment, self.clock) = (environment, clock)
    }

    /// Runs `secret-tool` for the tokens of one sign-in, and returns what it prints.
    ///
    /// One that does not answer is like a service that does not: it may be a matter of time.
    func run(_ verb: String, _ id: String, input: [UInt8] = []) async throws(ServiceFailure) -> [UInt8] {
        guard let program = environment.program(Self.program) else {
            throw .offline("the sign-in is in the desktop's keyring, and there is no secret-tool to reach it; install libsecret-tools")
        }
        let label = verb == "store" ? ["--label=Woodshed: signed in at the service"] : []
        let answer: Child.Output
        do {
            answer = try await Child.output(
                of: program, arguments: [verb] + label + ["program", "woodshed", "sign-in", id], environment: environment.entries,
                input: input, within: .seconds(30), takesErrors: verb == "lookup",
                clock: clock)
        } catch {
            throw .offline("the keyring cannot be reached: \(error)")
        }
        // Nothing is printed where there is nothing.
        guard answer.exit == .code(0) || verb == "lookup" && answer.exit == .code(1) && answer.bytes.isEmpty else {
            throw .offline("the desktop's keyring does not answer; log in to the desktop, and unlock it there")
        }
        return answer.bytes
    }
}
