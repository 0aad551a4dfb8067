package import CommandLine
import Configuration
import Glibc
package import Platform

/// The musician's desktop, if there is one: it opens pages in their browser, and tells them what no terminal would show.
@LoopActor
package struct Desktop {
    private let context: CommandContext
    private var environment: Environment { context.environment }

    package init(_ context: CommandContext) {
        self.context = context
    }

    /// Whether there is one.
    package var isThere: Bool { environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil }

    /// Whether nobody sees our standard error, for example because we were started from a menu.
    package var isAllThatIsSeen: Bool { isThere && !context.output.terminal.shows(.messages) }

    /// Whether there is a program that opens pages in a browser.
    package var opensPages: Bool { isThere && environment.program("xdg-open") != nil }

    /// Opens a file in the browser.
    package func open(page: String) throws(SystemError) {
        guard let program = environment.program("xdg-open") else { return }
        let null = try Descriptor.open("/dev/null", O_RDWR)
        _ = try Child.start(
            program, arguments: ["file://" + page], environment: environment.entries, descriptors: [null.number, null.number, null.number])
    }

    /// A folder whose pages the browser can read: `usual`, unless the browser is a snap. A snap sees neither hidden folders nor
    /// anything outside of the home, but it has a folder of its own.
    package func pageFolder(usual: String) async -> String {
        var status = stat()
        let snaps = environment.home + "/snap"
        guard stat(snaps, &status) == 0, let program = environment.program("xdg-mime"),
            let answer = try? await Child.output(
                of: program, arguments: ["query", "default", "text/html"], environment: environment.entries, within: .seconds(3),
                clock: context.clock),
            // A snap's desktop files are called "snap_program.desktop".
            let name = String(decoding: answer.bytes, as: UTF8.self).wholeMatch(of: /([a-z0-9-]+)_[^\/\n]*\.desktop\n?/)?.1
        else { return usual }
        let folder = "\(snaps)/\(name)/common"
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return usual }
        return folder
    }

    /// Tells the musician why nothing opens, with a notification that stays until it is read, otherwise with a page in the browser.
    package func explain(_ sentence: String) async {
        if await notify(sentence) { return }
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

    private func notify(_ sentence: String) async -> Bool {
        guard let program = environment.program("notify-send") else { return false }
        let answer = try? await Child.output(
            of: program, arguments: ["--app-name=Woodshed", "--urgency=critical", "--icon=woodshed", "--", Self.title, sentence],
            environment: environment.entries, within: .seconds(5), clock: context.clock)
        return answer?.exit == .code(0)
    }

    private static func page(_ sentence: String) -> String {
        let text = sentence.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>\(title)</title>
            <body style="max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; font: 1.15rem/1.5 system-ui, sans-serif">
            <h1>\(title)</h1><p>\(text)</p></html>
            """
    }
}
