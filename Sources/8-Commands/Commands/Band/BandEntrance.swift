import BandLayout
import BandStorage
import CommandLine
import Configuration
import Glibc
import HTTPClient
import Host
import Model
import Nextcloud
import Platform

/// First contact with a band's present or future place. If the server refuses this device, the user logs in with a browser, if possible.
@LoopActor
struct BandEntrance {
    let place: String
    let configuration: Configuration
    let context: CommandContext
    let patience: ServerPatience

    func carrier() throws -> any BandCarrier {
        try configuration.bandCarrier(to: place, serverPatience: patience, environment: context.environment, clock: context.clock)
    }

    /// The marker file, which names the band that the place belongs to; `nil` if there is none.
    func marker() async throws -> [UInt8]? {
        do {
            return try await read()
        } catch let trouble as Trouble {
            if trouble.kind == .away { throw CommandFailure(.notReady, "\(trouble)") }
            guard trouble.kind == .refused, !place.hasPrefix("s3:"), !hasOwnKey else { throw trouble }
            return try await logIn()
        }
    }

    private func read() async throws -> [UInt8]? { try await carrier().get(BandPath.marker, limit: BandMarker.limit) }

    /// Whether the musician configured a key for the server.
    private var hasOwnKey: Bool { configuration.options.band.keyFile != nil || configuration.options.band.keyCommand != nil }

    /// Returns what `marker` does, once the server lets this device in.
    private func logIn() async throws -> [UInt8]? {
        let transport = configuration.options.transport(clock: context.clock)
        defer { transport.close() }
        let host = try StorageAddress(place).host
        let file = BandKey.givenFile(configuration.paths, for: host)
        let signIn: NextcloudSignIn
        do throws(Trouble) {
            signIn = try await NextcloudSignIn.begin(
                at: place, userAgent: "Woodshed on \(configuration.options.bandDevice)", transport: transport, time: context.clock)
        } catch {
            guard error.kind == .unknown else { throw CommandFailure(.failed, "\(error)") }
            return try await askForKey(of: host, for: file)
        }
        let server = signIn.server.printable
        context.output.message(
            "Log in at \(server) and allow this program to reach your files, on this page:\n  \(signIn.page.printable)")
        await context.open(page: signIn.page, configuration)
        let access: NextcloudAccess
        do throws(Trouble) {
            access = try await signIn.access()
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        do throws(SystemError) {
            try access.write(to: file)
        } catch {
            throw CommandFailure(.failed, "the password was given, and could not be kept: \(error)")
        }
        context.output.message(
            ("Logged in as \(access.loginName). The password for this program alone is in \(file); you can take it back at the server, in the "
                + "list of your devices.").printable)
        return try await read()
    }

    /// Asks for the user and password that a server wants, until it accepts them, and keeps them in a file that only this user can read.
    private func askForKey(of host: String, for file: String) async throws -> [UInt8]? {
        let (ask, output) = (Questions(output: context.output), context.output)
        guard ask.canAsk else {
            throw CommandFailure(
                .failed,
                "\(host) wants a user and a password. Write user:password to a file that only you can read, as in "
                    + "~/.config/woodshed/band-key, run chmod 600 on it, and say where it is: --band-key-file FILE")
        }
        output.message("\(host) wants a user and a password.".printable)
        // Another band on this server may use what is kept now, so only an accepted password replaces it.
        let former = (try? AtomicFile.read(file, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
        var isAccepted = false
        defer {
            if !isAccepted, let former { try? AtomicFile.write(former, to: file, mode: 0o600) }
            if !isAccepted, former == nil { unlink(file) }
        }
        while true {
            let user = try await ask.line("User")
            let password = try await ask.secret("Password (it is not shown)")
            let key: Secret
            do throws(Trouble) {
                key = try SecretSource.token(Array("\(user):\(password)".utf8), from: "what you typed", for: .band)
            } catch {
                output.message("\(error)".asSentence.printable)
                continue
            }
            do {
                try Folder.create(Folder.parent(of: file))
                try AtomicFile.write(key.revealed + "\n", to: file, mode: 0o600)
                let found = try await read()
                isAccepted = true
                output.message("They are kept in \(file), which only you can read.".printable)
                return found
            } catch let trouble as Trouble where trouble.kind == .refused {
                output.message("\(host) does not accept this user and password.".printable)
            }
        }
    }

    /// Explains, in words for people, that an agent in the background lacks the key for S3, because only this shell's environment
    /// has the key. `nil` if that is not the case. Other reasons for a missing key are not checked.
    var warning: String? {
        guard place.hasPrefix("s3:"), !hasOwnKey, context.environment["AWS_ACCESS_KEY_ID"] != nil else { return nil }
        return
            "the key is in this shell's environment only, and an agent in the background does not have it: write it to a file of its own "
            + "as ID:SECRET, run chmod 600 on it, and set band.key_file"
    }

    /// The endpoint and region of S3, to be written to the settings, since an agent in the background lacks this shell's
    /// environment. Both are `nil` for a place that is not on S3.
    var server: (endpoint: String?, region: String?) {
        place.hasPrefix("s3:") ? configuration.storageServer(context.environment) : (nil, nil)
    }

    /// If a password for the server is kept here, prints where it is and how to revoke it.
    func tellKept() {
        guard let host = (try? StorageAddress(place))?.host, access(BandKey.givenFile(configuration.paths, for: host), F_OK) == 0 else {
            return
        }
        let file = BandKey.givenFile(configuration.paths, for: host)
        context.output.message(
            "The password for \(host) is still in \(file): delete that file. If the server gave it for this program alone, take it back there, "
                + "in the list of your devices.")
    }

    /// Deletes the password for the server that is kept here.
    func forgetKey() {
        guard let host = (try? StorageAddress(place))?.host else { return }
        unlink(BandKey.givenFile(configuration.paths, for: host))
    }
}
