import Agent
import CommandTestSupport
import Configuration
import Glibc
import Library
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Host

/// `woodshed open` from a desktop's menu, without a terminal for its messages.
@Suite(.onLoop)
struct OpenCommandTests {
    /// A desktop whose programs record their arguments.
    @LoopActor
    private final class Menu {
        let folder: String
        let session: Session
        private let keptFolder = TemporaryFolder()

        init() throws {
            folder = keptFolder.path
            session = Session([
                "PATH": folder + "/bin", "DISPLAY": ":0", "XDG_RUNTIME_DIR": folder + "/run",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            ])
            try Folder.create(folder + "/bin")
            try Folder.create(folder + "/run")
        }

        /// Installs a program that prints `says` and exits with `code`.
        func install(_ name: String, says: String = "", code: Int = 0) throws {
            let path = folder + "/bin/" + name
            try AtomicFile.write(
                """
                #!/bin/sh
                printf '%s\\n' "$@" > "\(folder)/\(name).part"
                /bin/mv "\(folder)/\(name).part" "\(folder)/\(name).asked"
                printf '%s\\n' '\(says)'
                exit \(code)
                """, to: path, mode: 0o755)
        }

        /// The arguments with which a program was run; `nil` if it was not run.
        func asked(_ name: String) -> [String]? {
            guard let bytes = try? AtomicFile.read(folder + "/\(name).asked", limit: 1 << 16) else { return nil }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Waits for a page, and returns the path of the page that was opened last.
        func page() async throws -> String {
            try await waitUntil { asked("xdg-open") != nil }
            let address = try #require(asked("xdg-open")?.first)
            #expect(address.hasPrefix("file:///"))
            return String(address.dropFirst("file://".count))
        }
    }

    @Test @LoopActor func whyNothingOpensIsANotice() async throws {
        let menu = try Menu()
        for program in ["notify-send", "xdg-open"] { try menu.install(program) }
        let ending = await menu.session.run("open")
        #expect(ending.code == .failed && ending.messages.contains("nothing is set up yet"))
        let notice = try #require(menu.asked("notify-send"))
        #expect(
            notice.suffix(2).first == "Woodshed cannot be opened" && notice.last?.hasPrefix("Nothing is set up yet") == true
                && notice.last?.hasSuffix("..") == false, "\(notice)")
        #expect(menu.asked("xdg-open") == nil)
    }

    @Test @LoopActor func withoutNoticesItIsAPage() async throws {
        let menu = try Menu()
        try menu.install("notify-send", code: 1)
        try menu.install("xdg-open")
        let settings = try menu.session.write("<b>: [", to: "broken.yaml")
        let ending = await menu.session.run("open", "--config", settings)
        #expect(ending.code == .configuration)
        let page = String(decoding: try AtomicFile.read(try await menu.page(), limit: 1 << 16), as: UTF8.self)
        #expect(page.contains("<h1>Woodshed cannot be opened</h1><p>") && page.contains("broken.yaml") && !page.contains("<b>"), "\(page)")
    }

    @Test @LoopActor func whoHasATerminalReadsItThere() async throws {
        let menu = try Menu()
        for program in ["notify-send", "xdg-open"] { try menu.install(program) }
        let captured = CapturedOutput(terminal: Terminal(showsResults: true, showsMessages: true))
        guard
            case .run(let invocation) = Woodshed.prepare(
                ["open", "--account-token-file=/token"], environment: menu.session.environment, output: captured.output)
        else {
            Issue.record("it can be run")
            return
        }
        let code = await Woodshed.run(invocation, CommandContext(output: captured.output, environment: menu.session.environment))
        #expect(code == .failed && captured.messages.contains("no agent is running"))
        #expect(menu.asked("notify-send") == nil && menu.asked("xdg-open") == nil)
    }

    @Test(arguments: [
        ("2026-11-29", true, false), ("2026-11-29", false, true), ("./2026-11-29", true, true), ("20261206 Advent", true, false),
        ("next", false, false), ("./next", true, true), ("Book", true, true), ("2026-12-13", true, false), ("2026-12-13", false, false),
    ]) @LoopActor
    func aPlansNameMeansThePlanIfThereIsOneAndAPathAFolder(name: String, isPlan: Bool, isFolder: Bool) throws {
        let home = TemporaryFolder()
        for each in ["2026-11-29", "20261206 Advent", "next", "Book"] { try Folder.create(home.path(each)) }
        try AtomicFile.write("Grace", to: home.path("2026-12-13"))
        let found = OpenCommand.folder(name, from: home.path) { isPlan }
        #expect(found == (isFolder ? Folder.real(home.path) + "/" + name.replacing("./", with: "") : nil))
    }

    @Test @LoopActor func whoOpensASetIsToldToOpenTheFolderAroundIt() async throws {
        let session = Session()
        let sets = session.folder.path("My Sets")
        try Folder.create(sets + "/2026-11-29 Advent")
        let ending = await session.run("open", sets + "/2026-11-29 Advent")
        #expect(ending.code == .failed && ending.messages.contains("is one set"), "\(ending.messages)")
        #expect(ending.messages.contains("woodshed open '") && ending.messages.contains("/My Sets'"), "\(ending.messages)")
    }

    @Test @LoopActor func inADemosHomeTheDemoIsNamedAsWhatShowsThePages() async throws {
        let session = Session()
        let home = session.folder.path
        try Library(folder: home + "/data").close()
        try DemoAddress(try Configuration.load(ConfigurationSources(environment: session.environment, home: home)).paths)
            .write("http://127.0.0.1:1/")
        let ending = await session.run("open", "--home", home)
        #expect(ending.code == .failed && ending.messages.contains("start the demo again with 'woodshed demo"), "\(ending.messages)")
        #expect(!ending.messages.contains("woodshed agent"), "\(ending.messages)")
    }

    /// A configuration without a token lets no agent start.
    @Test @LoopActor func aTokenForTabletsIsMadeWithoutAnAgent() async throws {
        let session = Session()
        let home = ["--home", session.folder.path]
        _ = try session.write("viewer:\n  listen: 0.0.0.0\n", to: "config/woodshed.yaml")
        try Library(folder: session.folder.path + "/data").close()
        let ending = await session.run(["open", "--tablet"] + home)
        #expect(ending.code == .failed && ending.messages.contains("A token for tablets was made: "), "\(ending.messages)")
        #expect(access(session.folder.path("config/viewer-token"), R_OK) == 0)
    }

    /// An agent that records the folder in which each page is to be written.
    @LoopActor
    private func desk(_ menu: Menu, _ folders: @escaping @LoopActor (String) -> Void) throws -> ControlDesk {
        let desk = ControlDesk(log: .silent, time: SystemClock())
        desk.answer("POST", "/v1/open") { request in
            guard let folder = request.parameter("folder") else { return ControlReply(json: Array(#"{"address":"http://a"}"#.utf8)) }
            folders(folder)
            let page = try HandoverPage(to: "http://secret", in: folder)
            return ControlReply(json: Array(#"{"address":"http://a","page":"\#(page.path)"}"#.utf8))
        }
        let home = menu.session.folder.path + "/user"
        try desk.open(in: menu.folder + "/run/woodshed", library: home + "/.local/share/woodshed")
        return desk
    }

    @Test @LoopActor func theBrowserIsGivenAFileThatItCanRead() async throws {
        let menu = try Menu()
        try menu.install("xdg-open")
        var folders: [String] = []
        let desk = try desk(menu) { folders.append($0) }
        defer { desk.close() }
        #expect(await menu.session.run("open").code == .fine)
        var page = try await menu.page()
        #expect(folders == [menu.folder + "/run/woodshed"] && page.hasPrefix(folders[0] + "/woodshed-open-"))
        var status = stat()
        #expect(stat(page, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(String(decoding: try AtomicFile.read(page, limit: 4096), as: UTF8.self).contains("url=http://secret"))

        // A browser installed as a snap cannot read hidden folders.
        let own = menu.session.folder.path + "/user/snap/firefox/common"
        try Folder.create(own)
        try menu.install("xdg-mime", says: "firefox_firefox.desktop")
        unlink(menu.folder + "/xdg-open.asked")
        #expect(await menu.session.run("open").code == .fine)
        page = try await menu.page()
        #expect(folders.last == own && page.hasPrefix(own + "/woodshed-open-"))
        // Browsers that are not installed as snaps can read hidden folders.
        for other in ["firefox-esr.desktop", "opera_opera.desktop", "../x_y.desktop"] {
            try menu.install("xdg-mime", says: other)
            #expect(await menu.session.run("open").code == .fine)
            #expect(folders.last == folders[0], "\(other)")
        }
    }

    @Test @LoopActor func withoutAProgramThatOpensPagesThatIsSaid() async throws {
        let menu = try Menu()
        try menu.install("notify-send")
        let desk = try desk(menu) { _ in Issue.record("no page is wanted") }
        defer { desk.close() }
        #expect(await menu.session.run("open").code == .failed)
        #expect(menu.asked("notify-send")?.last?.contains("xdg-utils") == true)
    }

    @Test @LoopActor func withoutADesktopItIsSaidWhatToDoWithTheAddress() async throws {
        let menu = try Menu()
        let desk = ControlDesk(log: .silent, time: SystemClock())
        defer { desk.close() }
        desk.answer("POST", "/v1/open") { _ in ControlReply(json: Array(#"{"address":"http://a"}"#.utf8)) }
        let session = Session(["XDG_RUNTIME_DIR": menu.folder + "/run"])
        try desk.open(in: menu.folder + "/run/woodshed", library: session.folder.path + "/user/.local/share/woodshed")
        let ending = await session.run("open")
        #expect(ending.code == .fine && ending.results == "http://a\n")
        #expect(ending.messages == "Open this in a browser on this computer within a minute.\n")
        #expect(await session.run("open", "--json").messages.isEmpty)
    }

    /// A terminal shows the code only if all of it fits; no browser of this machine is opened.
    @Test(arguments: [(80, false, 21), (41, false, 21), (40, false, 0), (80, true, 0)]) @LoopActor
    func aTabletsCodeIsDrawnOnTerminals(columns: Int, isDumb: Bool, lines: Int) async throws {
        let menu = try Menu()
        try menu.install("xdg-open")
        let address = "http://192.168.1.5:8737/open?secret=0123456789abcdef0123456789abcdef"
        let desk = ControlDesk(log: .silent, time: SystemClock())
        defer { desk.close() }
        desk.answer("POST", "/v1/open") { request in
            #expect(request.parameter("tablet") != nil && request.parameter("folder") == nil)
            return ControlReply(json: Array(#"{"address":"\#(address)"}"#.utf8))
        }
        try desk.open(in: menu.folder + "/run/woodshed", library: menu.session.folder.path + "/user/.local/share/woodshed")
        let terminal = Terminal(showsResults: true, showsMessages: true, environment: isDumb ? ["TERM": "dumb"] : [:]) { columns }
        let captured = CapturedOutput(terminal: terminal)
        let environment = menu.session.environment
        guard case .run(let invocation) = Woodshed.prepare(["open", "--tablet"], environment: environment, output: captured.output) else {
            Issue.record("it can be run")
            return
        }
        #expect(await Woodshed.run(invocation, CommandContext(output: captured.output, environment: environment)) == .fine)
        let printed = captured.results.split(separator: "\n")
        #expect(printed.last ?? "" == address)
        #expect(printed.dropLast().count == lines && printed.dropLast().allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") })
        #expect(captured.messages.replacing("\n", with: " ").contains("within 3 minutes"))
        #expect(captured.messages.contains("make it wider") == (columns < 41))
        #expect(captured.messages.contains("camera") == (lines > 0) && captured.messages.contains("Type this address") == (lines == 0))
        #expect(menu.asked("xdg-open") == nil)
    }
}
