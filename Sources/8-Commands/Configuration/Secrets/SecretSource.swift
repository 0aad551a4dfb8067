package import CommandLine
import Glibc
package import Model
package import Platform

/// The source of the account's token, or of the key for the band's server. No option contains such a secret itself.
package enum SecretSource: Hashable, Sendable {
    /// A file that only this user can read.
    case file(String)
    /// The name of a credential passed by the service manager.
    case credential(String)
    /// A shell command that prints the token or key.
    case command(String)
    /// The musician signs in with a browser. The tokens are stored and renewed elsewhere.
    case signIn

    /// The source that the options specify; nil if none.
    package init?(_ account: Options.Account) {
        if let path = account.tokenFile {
            self = .file(path)
        } else if let name = account.tokenCredential {
            self = .credential(name)
        } else if let command = account.tokenCommand {
            self = .command(command)
        } else if account.signIn != nil {
            self = .signIn
        } else {
            return nil
        }
    }

    /// Whether the token can be read at any time without side effects. A command may ask for a password.
    package var isCheap: Bool {
        if case .command = self { return false }
        return true
    }

    /// The name of the credential if only a service receives it and this process is not that service; otherwise nil.
    package func credentialElsewhere(_ environment: Environment) -> String? {
        if case .credential(let name) = self, environment.folder("CREDENTIALS_DIRECTORY") == nil { name } else { nil }
    }

    /// The page on which the service issues tokens.
    package static let page = "https://api.planningcenteronline.com/oauth/applications"

    /// No token is larger.
    package static let greatestSize = 4096

    /// Reads the account's token, or the secret for another `use`. A command must end within `commandLimit`. Throws for `signIn`.
    @LoopActor
    package func read(
        for use: SecretUse = .account, environment: Environment, clock: any TimeKeeper, commandLimit: Duration = .seconds(30)
    ) async throws(Trouble) -> Secret {
        switch self {
        case .file(let path):
            return try Self.token(try Self.privateBytes(path, for: use), from: path, for: use)
        case .credential(let name):
            return try Self.token(try Self.credentialBytes(name, environment), from: "credential \(name)")
        case .command(let command):
            let run = SecretCommand(command, for: use, environment: environment, clock: clock)
            return try Self.token(try await run.firstLine(within: commandLimit), from: use.command, for: use)
        case .signIn: throw Trouble("no token: it is given to whoever signs in")
        }
    }

    /// The bytes of a file that no other user can read.
    ///
    /// If `isShared`, the file may instead belong to root and be readable by a group of musicians.
    package static func privateBytes(
        _ path: String, limit: Int = greatestSize, isShared: Bool = false, for use: SecretUse = .account
    ) throws(Trouble) -> [UInt8] {
        do {
            // Open without blocking, since opening a pipe without a writer would otherwise block for ever.
            let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw SystemError("read", path: path) }
            let isRoots = isShared && status.st_mode & S_IFMT == S_IFREG && status.st_uid == 0 && status.st_mode & 0o7777 & ~0o640 == 0
            if !isRoots { try check(status, path: path, for: use) }
            return try file.readAll(limit: limit, path: path)
        } catch {
            if let error = error as? Trouble { throw error }
            throw Trouble("\(use.lack): \(error)")
        }
    }

    /// Rejects everything except a regular file of this user with mode 0600 or stricter.
    private static func check(_ status: stat, path: String, for use: SecretUse) throws(Trouble) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw Trouble("\(use.lack): \(path) is not a file") }
        guard status.st_uid == geteuid() else {
            throw Trouble("\(use.lack): \(path) belongs to another user; that user could change it")
        }
        guard status.st_mode & 0o7777 & ~0o600 == 0 else {
            throw Trouble(
                .refused, "\(use.lack): \(path) must have mode 0600, so that only you can read it; run: chmod 600 \(path.shellQuoted)")
        }
    }

    private static func credentialBytes(_ name: String, _ environment: Environment) throws(Trouble) -> [UInt8] {
        guard let folder = environment.folder("CREDENTIALS_DIRECTORY") else {
            throw Trouble(
                .refused,
                "no token: only the service has it: systemd gives it the credential '\(name)' (account.token_credential) if its unit has "
                    + "LoadCredential=\(name):PATH, and $CREDENTIALS_DIRECTORY is not set here; "
                    + "'systemctl --user start woodshed' starts an agent that has it, and other commands then ask that one")
        }
        do {
            // The service manager created this folder for this service alone, so its permissions are not checked.
            return try AtomicFile.read(folder + "/" + name, limit: greatestSize)
        } catch {
            throw Trouble("no token: \(error)")
        }
    }

    /// Removes the line break, and checks that the text has two parts with a colon between them.
    package static func token(_ bytes: [UInt8], from source: String, for use: SecretUse = .account) throws(Trouble) -> Secret {
        let text = try line(bytes, from: source, form: "the form \(use.form)", for: use)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw Trouble("\(use.lack): \(source) must contain \(use.form), with a colon in between")
        }
        return Secret(text)
    }

    /// The only line, without its line break. Throws if there is no line, or if the text has anything else. `form` describes the
    /// expected text in errors.
    package static func line(_ bytes: [UInt8], from source: String, form: String, for use: SecretUse = .account) throws(Trouble)
        -> String
    {
        var bytes = bytes[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Trouble("\(use.lack): \(source) is empty") }
        // On a band's own server, user names may contain any printable character.
        guard bytes.allSatisfy({ use == .band ? $0 >= 32 && $0 != 127 : $0 > 32 && $0 < 127 }) else {
            throw Trouble("\(use.lack): \(source) must contain one line of \(form), without spaces")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false, text.first != "\u{FEFF}" else {
            throw Trouble("\(use.lack): \(source) begins or ends with a blank; take that out")
        }
        return text
    }
}

/// The purpose of a secret, with the words for it in messages.
package enum SecretUse: Sendable {
    case account
    /// A server on which a band shares its files.
    case band

    var lack: String { self == .account ? "no token" : "no key for the band" }
    var form: String { self == .account ? "app_id:secret" : "user:password" }
    var command: String { self == .account ? "account.token_command" : "band.key_command" }
}

/// Runs a shell command once for the first line of its output.
///
/// The command gets no input. Its standard error is passed through.
@LoopActor
struct SecretCommand {
    private let command: String
    private let use: SecretUse
    private let environment: Environment
    private let clock: any TimeKeeper

    init(_ command: String, for use: SecretUse = .account, environment: Environment, clock: any TimeKeeper) {
        (self.command, self.use, self.environment, self.clock) = (command, use, environment, clock)
    }

    /// The first line without its line break. Throws if the command fails. A command that has not ended after `limit` is killed.
    func firstLine(within limit: Duration) async throws(Trouble) -> [UInt8] {
        let output: Child.Output
        do {
            output = try await Child.output(
                of: "/bin/sh", arguments: ["-c", command], environment: environment.entries, within: limit, most: SecretSource.greatestSize,
                clock: clock)
        } catch {
            throw Trouble("\(use.lack): \(use.command): \(error)")
        }
        guard let exit = output.exit else {
            throw Trouble("\(use.lack): \(use.command) did not end within \(DurationText.text(of: limit))")
        }
        guard exit == .code(0) else { throw Trouble("\(use.lack): \(use.command) \(exit)") }
        return Array(output.bytes.prefix { $0 != UInt8(ascii: "\n") })
    }
}
