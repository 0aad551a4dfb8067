import DemoService
import Foundation
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// A stand-in service, an agent that has drawn all pages, and a browser that is signed in.
@LoopActor
final class Desk {
    let home = TemporaryFolder()
    let service: StandIn
    let browser: Browser
    private(set) var address = ""
    private var agent: Program?
    /// The folder with the programs that this desk runs.
    private var programs = Program.folder
    private var environment: [String] = []

    /// Runs a test at a desk with more lines of the viewer's configuration, and ends all programs even if the test fails. `marks` is a
    /// folder for marks that the test owns. `isNetworked`: a browser that uses the host name `Browser.elsewhere` counts as remote.
    static func use(
        fullSize: Int = 600, viewer: String = "", marks: String? = nil, ownPrograms: Bool = false, isNetworked: Bool = false,
        _ test: @LoopActor (Desk) async throws -> Void
    ) async throws {
        try await use(
            { desk in
                if ownPrograms { try desk.copyPrograms() }
                if isNetworked { desk.environment = ["LD_PRELOAD=\(Program.folder)/libelsewhere.so"] }
                try await DrawnHome.copy(fullSize: fullSize, to: desk.home.path)
            }, fullSize: fullSize, viewer: viewer, marks: marks, test)
    }

    /// Runs a test with plans that are drawn for this test alone; `edit` changes them before the agent starts.
    static func use(
        load: DemoLoad, edit: (StandIn) throws -> Void = { _ in }, _ test: @LoopActor (Desk) async throws -> Void
    ) async throws {
        try await use(load: load, { try edit($0.service) }, test)
    }

    private static func use(
        load: DemoLoad? = nil, _ prepare: @LoopActor (Desk) async throws -> Void, fullSize: Int = 600, viewer: String = "",
        marks: String? = nil, _ test: @LoopActor (Desk) async throws -> Void
    ) async throws {
        let desk = try await Desk(load)
        do {
            try DrawnHome.configure(desk.home.path, desk.service, fullSize: fullSize, viewer: viewer, marks: marks)
            try await prepare(desk)
            try await desk.begin()
            try await test(desk)
        } catch {
            await desk.clear()
            throw error
        }
        await desk.clear()
    }

    private init(_ load: DemoLoad?) async throws {
        service = try StandIn.start(load: load)
        browser = try await Browsers.borrow()
    }

    private func begin() async throws {
        let agent = try Program(programs + "/woodshed", ["agent", "--home", home.path], environment: environment)
        self.agent = agent
        // Renderers that work ahead have low priority, so other tests may delay them.
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        address = try await letIn()
    }

    private func clear() async {
        await Browsers.giveBack(browser)
        service.stop()
        agent?.child.kill(SIGCONT)
        agent?.child.kill(SIGTERM)
        guard let result = try? await agent?.result() else { return }
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    /// Copies the programs to a folder of this desk, where the test can change them.
    private func copyPrograms() throws {
        try Folder.create(home.path("bin"))
        for name in ["woodshed", "woodshed-render"] {
            try FileManager.default.copyItem(atPath: programs + "/" + name, toPath: home.path("bin/" + name))
        }
        programs = home.path("bin")
    }

    /// Removes the renderer's program and kills running renderers. The desk needs its own copy of the programs.
    func takeRendererAway() throws {
        try FileManager.default.moveItem(atPath: home.path("bin/woodshed-render"), toPath: home.path("bin/away"))
        let agent = try #require(agent).child.pid
        let children = try String(contentsOfFile: "/proc/\(agent)/task/\(agent)/children", encoding: .utf8)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGKILL) }
    }

    func bringRendererBack() throws {
        try FileManager.default.moveItem(atPath: home.path("bin/away"), toPath: home.path("bin/woodshed-render"))
    }

    /// Makes the agent hang: its process exists, but does not answer.
    func stopAgentsHeart() { agent?.child.kill(SIGSTOP) }

    func letAgentGoOn() { agent?.child.kill(SIGCONT) }

    /// Ends the agent by SIGTERM, or by another signal.
    func endAgent(by signal: Int32 = SIGTERM) async throws {
        agent?.child.kill(signal)
        _ = try await agent?.result()
        // The desk's end expects exit status 0, which a killed agent does not have, so the agent is forgotten.
        if signal == SIGKILL { agent = nil }
    }

    /// Starts the agent again in the same home, and waits until it has finished its work, or only until it answers.
    func beginAgain(untilItAnswers: Bool = false) async throws {
        let port = address.split(separator: ":").last ?? ""
        let agent = try Program(
            programs + "/woodshed", ["agent", "--home", home.path], environment: environment + ["WOODSHED_VIEWER_PORT=\(port)"])
        self.agent = agent
        try await waitUntil {
            if untilItAnswers { return (try? HTTPProbe.send("GET", "http://127.0.0.1:\(port)/")) != nil }
            return try agent.messagesSoFar().contains("asleep")
        }
    }

    /// The name of a chart's present version in the addresses and the files of its pages.
    func folder(of chart: String) async throws -> String {
        try await browser.ask(
            "return fetch('/api/chart/\(chart)').then((reply) => reply.json()).then((told) => told.hash.slice(0, 32))")
    }

    /// An address that opens the plans or the named chart, and can sign in a browser once.
    func secretAddress(_ what: String...) async throws -> String {
        let result = try await run(["open"] + what)
        #expect(result.exit == .code(0), "\(result.messages)")
        return String(result.output.prefix { $0 != "\n" })
    }

    /// Signs the browser in, and returns the address of the agent's pages.
    private func letIn() async throws -> String {
        let invitation = try await secretAddress()
        try await browser.open(invitation)
        return try await browser.ask("return location.origin")
    }

    /// Opens a plan or chart by the command `woodshed open`.
    func open(_ what: String) async throws {
        try await browser.open(try await secretAddress(what))
    }

    /// Opens a path at the agent's address.
    func visit(_ path: String) async throws { try await browser.open(address + path) }

    /// Writes a file of the musician's own marks on a chart, as another program would.
    func save(_ marks: String, on chart: String) throws {
        try AtomicFile.write(#"{"attachment_id":"\#(chart)","marks":[\#(marks)]}"#, to: home.path("music/own.marks.json"))
    }

    @discardableResult
    func run(_ words: [String]) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", home.path])
    }
}

/// The screens from which musicians play.
struct Screen: Sendable, CustomTestStringConvertible {
    let name: String
    let width, height: Int
    let scale: Double
    var testDescription: String { name }

    static let all = [
        Screen(name: "laptop", width: 1366, height: 768, scale: 1), Screen(name: "tablet", width: 1024, height: 1366, scale: 2),
        Screen(name: "wide", width: 1920, height: 1080, scale: 1), Screen(name: "phone", width: 390, height: 844, scale: 3),
        Screen(name: "large", width: 2560, height: 1440, scale: 2),
    ]
}
