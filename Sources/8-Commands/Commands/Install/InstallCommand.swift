import CommandLine
import Configuration
import Glibc
import Host
import Manual
import Platform

extension Command {
    static let install = Command(
        name: "install",
        summary: "Installs this build for yourself, with its service, man pages and menu entry, or removes it",
        details: """
            Copies the programs from where they were built to ~/.local/bin and ~/.local/libexec/woodshed, so that the build's folder may \
            go. Needs no rights that you do not have. Your configuration, charts and marks are left alone, by --remove, too.
            """,
        flags: [
            Flag("user", "install it for yourself"),
            Flag("remove", "end the service, and remove what --user installed"),
        ],
        examples: [
            Example("woodshed install --user", "Install this build, in place of an older one."),
            Example("woodshed install --remove", "Remove the programs; everything of yours stays."),
        ],
        run: { invocation, context in
            guard invocation.has("user") != invocation.has("remove") else {
                throw CommandFailure(.usage, "say either --user or --remove; for all users, install the package")
            }
            let installation = UserInstallation(context)
            return try await invocation.has("user") ? installation.install() : installation.remove()
        })
}

/// An installation in the user's own folders.
@LoopActor
struct UserInstallation {
    private let context: CommandContext
    private let local: String
    private let data: String
    private let configuration: String

    init(_ context: CommandContext) {
        let environment = context.environment
        self.context = context
        local = environment.home + "/.local"
        data = environment.folder("XDG_DATA_HOME") ?? local + "/share"
        configuration = environment.folder("XDG_CONFIG_HOME") ?? environment.home + "/.config"
    }

    private var program: String { local + "/bin/woodshed" }
    private var renderer: String { local + "/libexec/woodshed/woodshed-render" }
    private var zsh: ZshStart { ZshStart(context.environment, functions: data + "/zsh/site-functions") }
    private var manager: SessionManager { SessionManager(context: context) }

    /// All files that are installed, except the programs; the systemd unit comes first.
    private var texts: [(path: String, text: String)] {
        [
            (
                configuration + "/systemd/user/" + SessionManager.unit,
                Self.text(session_unit).replacing("/usr/bin/woodshed", with: "\"\(program.replacing("%", with: "%%"))\"")
            ),
            (data + "/applications/woodshed.desktop", Self.text(session_entry).replacing("Exec=woodshed", with: "Exec=\"\(program)\"")),
            (data + "/icons/hicolor/scalable/apps/woodshed.svg", Self.text(session_icon)),
            (data + "/man/man1/woodshed.1", ManText.commands(.woodshed)), (data + "/man/man5/woodshed.yaml.5", ManText.settings),
        ]
            + ManualPage.all.map { (data + "/man/man7/woodshed-\($0.topic).7", ManText.topic($0)) } + [
                (data + "/bash-completion/completions/woodshed", Completions.bash),
                (data + "/zsh/site-functions/_woodshed", Completions.zsh),
                (data + "/fish/vendor_completions.d/woodshed.fish", Completions.fish),
            ]
    }

    /// Whether a program may be installed at a path: nothing is there, or a compiled program rather than a script that the user wrote.
    private func isProgram(_ path: String) -> Bool {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return access(path, F_OK) != 0 }
        var start = [UInt8](repeating: 0, count: 4)
        return pread(file.number, &start, start.count, 0) == start.count && start == [0x7f] + Array("ELF".utf8)
    }

    /// Whether a file may be overwritten and removed. A unit or menu entry that starts another program is the user's own: prints
    /// that the file stays as it is, and returns `false`.
    private func isOurs(_ path: String) -> Bool {
        guard path.hasSuffix(".service") || path.hasSuffix(".desktop"), let bytes = try? AtomicFile.read(path, limit: 1 << 16) else {
            return true
        }
        let isOurs = String(decoding: bytes, as: UTF8.self).contains("=\"\(program.replacing("%", with: "%%"))\"")
        if !isOurs { context.output.message("\(path) is yours, and stays as it is.") }
        return isOurs
    }

    private static func text(_ file: manual_page) -> String {
        String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.length), as: UTF8.self)
    }

    func install() async throws -> ExitCode {
        let built = Options.programs
        for path in [program, renderer] where !isProgram(path) {
            throw CommandFailure(.failed, "\(path) is a file of yours; give it another name, then install again")
        }
        // Install the renderer first: a program needs the renderer of its own version, so the new renderer must be in place when
        // the new program starts.
        for (from, to) in [(built.renderer, renderer), (built.program, program)] where from != to {
            try Folder.create(Folder.parent(of: to))
            let bytes = try AtomicFile.read(from, limit: 1 << 28)
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: to, mode: 0o755) }
        }
        for file in texts where isOurs(file.path) {
            try Folder.create(Folder.parent(of: file.path))
            try AtomicFile.write(file.text, to: file.path, mode: 0o644)
        }
        _ = await manager.run("daemon-reload")
        // Restarts the service with the new program. If the service is not running, nothing happens.
        _ = await manager.run("try-restart", SessionManager.unit)
        let isFound = context.environment["PATH"]?.split(separator: ":").contains(Substring(local + "/bin")) == true
        let typed = isFound ? "woodshed" : program
        context.output.message("Installed \(program). '\(typed) setup' sets up your account, and can keep it running in the background.")
        if let news = zsh.add() { context.output.message(news) }
        if !isFound {
            context.output.message("Your shell finds it once you have logged in again.")
        }
        return .fine
    }

    func remove() async throws -> ExitCode {
        let paths = texts.map(\.path).filter { isOurs($0) }
        if let unit = paths.first, access(unit, F_OK) == 0, await manager.run("disable", "--now", SessionManager.unit) == nil {
            context.output.message("The service is ended.")
        }
        var removed = 0
        for path in paths + [renderer, program].filter({ isProgram($0) }) {
            if unlink(path) == 0 {
                removed += 1
            } else if errno != ENOENT {
                throw CommandFailure(.failed, SystemError("remove", path: path).description)
            }
        }
        rmdir(Folder.parent(of: renderer))
        do throws(SystemError) { try zsh.remove() } catch { throw CommandFailure(.failed, error.description) }
        _ = await manager.run("daemon-reload")
        context.output.message(
            removed == 0
                ? "Nothing was installed here." : "Removed \(removed.counted("file")); your configuration, charts and marks are left alone."
        )
        return .fine
    }
}
