package import CommandLine
import Configuration
import Glibc
import Model
package import Platform

/// The musician's desktop, if any. It opens pages in the browser, and shows messages when no terminal does.
@LoopActor
package struct Desktop {
    private let context: CommandContext
    private var environment: Environment { context.environment }

    package init(_ context: CommandContext) { self.context = context }

    package var isThere: Bool { environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil }

    /// Whether only the desktop can show messages, for example because this program was started from a menu.
    package var isAllThatIsSeen: Bool { isThere && !context.output.terminal.shows(.messages) }

    /// Whether a program that opens pages in a browser is installed.
    package var opensPages: Bool { isThere && environment.program("xdg-open") != nil }

    package func open(page: String) throws(SystemError) {
        guard let program = environment.program("xdg-open") else { return }
        let null = try Descriptor.open("/dev/null", O_RDWR)
        _ = try Child.start(
            program, arguments: ["file://" + page], environment: environment.entries, descriptors: [null.number, null.number, null.number])
    }

    /// A folder whose pages the browser can read: `usual`, unless the browser is a snap. A snap can read neither hidden folders nor
    /// anything outside the home, but has a folder of its own.
    package func pageFolder(usual: String) async -> String {
        var status = stat()
        let snaps = environment.home + "/snap"
        guard stat(snaps, &status) == 0, let program = environment.program("xdg-mime"),
            let answer = try? await Child.output(
                of: program, arguments: ["query", "default", "text/html"], environment: environment.entries, within: .seconds(3),
                clock: context.clock),
            // The desktop file of a snap is named "snap_program.desktop".
            let name = String(decoding: answer.bytes, as: UTF8.self).wholeMatch(of: /([a-z0-9-]+)_[^\/\n]*\.desktop\n?/)?.1
        else { return usual }
        let folder = "\(snaps)/\(name)/common"
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return usual }
        return folder
    }

    /// Shows why nothing opens, in a notification that stays until the musician closes it, or else on a page in the browser.
    package func explain(_ sentence: String) async {
        let notice = Notice(title: Self.title, text: sentence, urgency: .critical, isShownWhole: true)
        if let messages = DesktopMessages(environment, clock: context.clock), await messages.show(notice) == nil { return }
        guard opensPages else { return }
        do throws(SystemError) {
            let folder = await pageFolder(usual: Paths.runtimeFolder(environment) ?? environment.home + "/.cache")
            try Folder.create(folder)
            let page = folder + "/woodshed-cannot-open.html"
            try AtomicFile.write(Self.page(sentence), to: page)
            try open(page: page)
        } catch {
            context.output.warning("\(error)")
        }
    }

    private static let title = "Woodshed cannot be opened"

    private static func page(_ sentence: String) -> String {
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>\(title)</title>
            <body style="max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; font: 1.15rem/1.5 system-ui, sans-serif">
            <h1>\(title)</h1><p>\(sentence.asSentence.asMarkup)</p></html>
            """
    }
}

/// Shows messages on the session's desktop with `notify-send`.
@LoopActor
struct DesktopMessages {
    private let program: String
    private let environment: [String]
    private let clock: any TimeKeeper

    /// The time limit: a desktop responds immediately or not at all.
    private static let patience = Duration.seconds(5)
    private nonisolated static let longestText = 400

    /// Nil if there is no desktop session or `notify-send` is not installed.
    init?(_ environment: Environment, clock: any TimeKeeper) {
        let bus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }.flatMap { access($0, F_OK) == 0 ? "unix:path=\($0)" : nil }
        guard let address = environment["DBUS_SESSION_BUS_ADDRESS"] ?? bus else { return nil }
        guard let program = environment.program("notify-send") else { return nil }
        (self.program, self.clock) = (program, clock)
        // The rest of our environment may contain a token, and does not concern the desktop.
        let passed = ["HOME", "PATH", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"].compactMap { name in
            environment[name].map { "\(name)=\($0)" }
        }
        self.environment = passed + ["DBUS_SESSION_BUS_ADDRESS=\(address)"]
    }

    /// Shows a notice. Returns the reason if that failed, otherwise nil.
    func show(_ notice: Notice) async -> String? {
        let output: Child.Output
        do {
            output = try await Child.output(
                of: program, arguments: Self.arguments(for: notice), environment: environment, within: Self.patience, takesErrors: true,
                clock: clock)
        } catch {
            return "\(error)"
        }
        guard output.exit != .code(0) else { return nil }
        let said = String(decoding: output.bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
        return "\(program) " + (output.exit.map { "\($0)" } ?? "did not end within \(Self.patience.components.seconds) s") + said
    }

    nonisolated static func arguments(for notice: Notice) -> [String] {
        ["--app-name=Woodshed", "--icon=woodshed", "--urgency=\(notice.urgency.rawValue)", "--", notice.title, text(of: notice)]
    }

    /// The text, cut off if it is too long and not shown whole, and escaped to appear literally: desktops interpret markup, and
    /// `notify-send` interprets backslashes.
    nonisolated static func text(of notice: Notice) -> String {
        let lines = notice.isShownWhole ? notice.text.asSentence.split(separator: "\n").map(String.init) : [notice.text.asSentence]
        let text = lines.map(\.printable).joined(separator: "\n")
        let short = notice.isShownWhole || text.count <= longestText ? text : text.prefix(longestText - 1) + "…"
        return short.replacing("\\", with: "\\\\").asMarkup
    }
}

extension String {
    /// The text escaped for HTML, and for the desktops' markup.
    fileprivate var asMarkup: String { map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined() }
}

/// A page that redirects the musician's browser to an address with a secret. Whoever writes it removes it once the secret is used
/// or has expired. A page that is left behind is removed when the next one is written.
///
/// Every user of the machine can read a program's arguments, and the first browser with the secret is let in. So the browser is
/// started with this file, which no other user can read, and not with the address.
package struct HandoverPage: Sendable {
    package let path: String

    private static let (start, ending) = ("woodshed-open-", ".html")
    /// How long (s) a page can be of use: a secret is valid for a minute.
    private static let lasts = 60

    /// Writes a page to `folder` under a unique name, since two pages may be in use together.
    package init(to address: String, in folder: String) throws(SystemError) {
        Self.removeOutdated(in: folder)
        path = folder + "/" + Self.start + String(UInt64.random(in: .min ... .max), radix: 16) + Self.ending
        let content = #"<!doctype html><meta http-equiv="refresh" content="0;url=\#(address)"><title>Woodshed</title>"#
        try AtomicFile.write(content, to: path)
    }

    package func remove() { unlink(path) }

    /// Removes pages that are older than `lasts`, such as those that killed agents have left behind.
    private static func removeOutdated(in folder: String) {
        for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(start) && name.hasSuffix(ending) {
            var status = stat()
            let path = folder + "/" + name
            if lstat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec > lasts { unlink(path) }
        }
    }
}
