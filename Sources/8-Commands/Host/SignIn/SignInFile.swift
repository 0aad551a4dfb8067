import CommandLine
import Configuration
import Glibc
import JSON
import Model
import PlanningCenter
import Platform

/// The storage of a sign-in. Its tokens are in a file beside the configuration, or in the desktop's keyring, with only a note in
/// the file. The choice is made when the musician signs in, and never changes by itself.
@LoopActor
struct SignInFile {
    struct Note: Decodable {
        /// The service and the application that the sign-in is for. The tokens are sent nowhere else.
        var service: String
        var application: String
        /// The id of this sign-in, which is not secret.
        var id: String
        var place: SignIn.Place
        /// The tokens, if they are stored in the file.
        var tokens: Tokens?

        var json: JSONText {
            [
                "service": .text(service), "application": .text(application), "id": .text(id), "place": .text(place.rawValue),
                "tokens": tokens?.json ?? .null,
            ]
        }
    }

    struct Tokens: Decodable {
        var access: String
        var refresh: String?
        var expires: Timestamp

        init(_ tokens: SignInTokens) {
            (access, refresh, expires) = (tokens.access.revealed, tokens.refresh?.revealed, tokens.expires)
        }

        var json: JSONText { ["access": .text(access), "refresh": .maybe(refresh), "expires": .text("\(expires)")] }
        var revived: SignInTokens { SignInTokens(access: Secret(access), refresh: refresh.map(Secret.init), expires: expires) }
    }

    let path: String
    private let account: Options.Account
    private let keyring: Keyring
    private let clock: any TimeKeeper
    private var folder: String { Folder.parent(of: path) }

    /// Large enough for the long tokens of some services.
    private static let greatestSize = 32 << 10

    init(_ configuration: Configuration, context: CommandContext) {
        path = Self.path(configuration.paths)
        account = configuration.options.account
        clock = context.clock
        keyring = Keyring(environment: context.environment, clock: context.clock)
    }

    nonisolated static func path(_ paths: Paths) -> String { Folder.parent(of: paths.configuration) + "/account-sign-in" }

    private func error(_ text: String) -> Trouble { Trouble("no token: \(text); run '\(woodshed("sign-in"))'") }

    /// Reads the file, which must be private and for the configured application.
    func note() throws(Trouble) -> Note {
        var status = stat()
        guard lstat(path, &status) == 0 || errno != ENOENT else { throw error("nobody has signed in yet") }
        let bytes = try SecretSource.privateBytes(path, limit: Self.greatestSize)
        guard let note = try? JSONReader.decode(Note.self, from: bytes) else { throw error("\(path) is damaged") }
        guard note.service == account.apiURL, note.application == account.signIn else {
            throw error("somebody signed in at \(note.service) through \(note.application), and the configuration names another")
        }
        return note
    }

    /// Reads the file even if it is for another service or others could read it; nil if it is damaged.
    func anyNote() throws -> Note? {
        let bytes = try AtomicFile.read(path, limit: Self.greatestSize)
        return try? JSONReader.decode(Note.self, from: bytes)
    }

    func newNote(in place: SignIn.Place) throws -> Note {
        try Folder.create(folder)
        return Note(service: account.apiURL, application: account.signIn ?? "", id: Secret.random().revealed, place: place)
    }

    func tokens(_ note: Note) async throws -> SignInTokens {
        var stored = note.tokens
        if note.place == .keyring {
            // A keyring that does not respond may still contain the tokens, so a failure does not mean that there are none.
            let text = try await keyring.run("lookup", note.id)
            stored = try? JSONReader.decode(Tokens.self, from: text)
        }
        guard let stored else { throw error("\(note.place == .file ? path : "the keyring") has none") }
        return stored.revived
    }

    func write(_ tokens: SignInTokens, _ note: Note, isNew: Bool = false) async throws {
        var note = note
        switch note.place {
        case .file: note.tokens = Tokens(tokens)
        case .keyring:
            _ = try await keyring.run("store", note.id, input: Tokens(tokens).json.bytes(forBrowsers: false))
            // The file states only that the tokens are in the keyring, so a renewal does not change it.
            guard isNew else { return }
        }
        try AtomicFile.write(note.json.line + "\n", to: path)
    }

    /// Removes the tokens from the keyring if they are stored there.
    func clear(_ note: Note) async throws {
        if note.place == .keyring { _ = try await keyring.run("clear", note.id) }
    }

    func checkIsThere() throws(Trouble) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw error("nobody has signed in") }
    }

    func remove() throws(SystemError) {
        guard unlink(path) == 0 else { throw SystemError("remove", path: path) }
    }

    /// Locks out other programs during `work`, since each renewal invalidates the earlier tokens. Waits up to 40 s for another program.
    func alone<Value>(_ work: @LoopActor () async throws -> Value) async throws -> Value {
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

/// The desktop's keyring (Secret Service), accessed with `secret-tool` from libsecret.
@LoopActor
private struct Keyring {
    let environment: Environment
    let clock: any TimeKeeper

    /// Runs `secret-tool` for the tokens of one sign-in, and returns its output.
    ///
    /// A keyring that does not respond is treated like a service that does not: later attempts may succeed.
    func run(_ verb: String, _ id: String, input: [UInt8] = []) async throws(ServiceFailure) -> [UInt8] {
        guard let program = environment.program("secret-tool") else {
            throw .offline("the sign-in is in the desktop's keyring, and there is no secret-tool to reach it; install libsecret-tools")
        }
        let label = verb == "store" ? ["--label=Woodshed: signed in at the service"] : []
        let answer: Child.Output
        do {
            answer = try await Child.output(
                of: program, arguments: [verb] + label + ["program", "woodshed", "sign-in", id], environment: environment.entries,
                input: input, within: .seconds(30), takesErrors: verb == "lookup", clock: clock)
        } catch {
            throw .offline("the keyring cannot be reached: \(error)")
        }
        // A lookup without tokens prints nothing and exits with 1.
        guard answer.exit == .code(0) || verb == "lookup" && answer.exit == .code(1) && answer.bytes.isEmpty else {
            throw .offline("the desktop's keyring does not answer; log in to the desktop, and unlock it there")
        }
        return answer.bytes
    }
}
