import Agent
import CommandTestSupport
import Configuration
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

@Suite(.onLoop)
struct ReadyCommandTests {
    private let session = Session()

    @Test @LoopActor func nothingSyncedIsNotReady() async {
        let ready = await session.run("ready", "--home", session.folder.path)
        #expect(ready.code == .notReady)
        #expect(ready.messages.contains("not ready: nothing is set up yet: run 'woodshed setup"), "\(ready.messages)")
        #expect(await session.run("status", "--home", session.folder.path).code == .failed)
    }

    /// Scripts rely on the exit code, or on "ready" in the JSON, so no failure may look like success in either.
    @Test @LoopActor func whateverIsWrongIsNotZeroAndNotReady() async throws {
        let nothing = await session.run("ready", "--json", "--home", session.folder.path)
        #expect(nothing.code == .notReady && nothing.results.contains(#""ready":false"#), "\(nothing.results)")
        let file = try session.write("render:\n  workers: x\n", to: "w.yaml")
        let mistaken = await session.run("ready", "--json", "--config", file)
        #expect(mistaken.code == .configuration && mistaken.results.contains(#""ready":false"#), "\(mistaken.results)")
    }

    /// A variable may have been set long ago, for another version.
    @Test @LoopActor func aMistakeInAVariableKeepsNobodyFromReading() async throws {
        let session = Session(["WOODSHED_RENDER_WORKERS": "x"])
        let home = ["--home", session.folder.path]
        try Library(folder: session.folder.path + "/data").close()
        let words = "environment WOODSHED_RENDER_WORKERS: 'x' is not a whole number"
        for command in ["ready", "status", "plans"] {
            let ending = await session.run([command] + home)
            #expect(ending.messages.contains("this goes by the rest of the configuration: \(words)"), "\(command): \(ending.messages)")
            #expect(command == "plans" || ending.code != .fine, "\(command) says that all is well")
        }
        let writing = await session.run(["sync"] + home)
        #expect(writing.code == .configuration && writing.messages.contains(words), "\(writing.messages)")
        let elsewhere = Session(["WOODSHED_FOLDERS_DATA": "~ann/data"])
        #expect(await elsewhere.run(["ready"] + home).code == .configuration, "this says where the library is")
    }

    /// Whoever names a file has just typed it, and means no other home.
    @Test @LoopActor func aNamedConfigurationThatIsMissingIsRefused() async throws {
        try Library(folder: session.folder.path("user/.local/share/woodshed")).close()
        let ending = await session.run("ready", "--config", session.folder.path("no.yaml"))
        #expect(ending.code == .configuration, "\(ending.messages)")
        #expect(ending.messages.contains("no.yaml is not there: correct the path, or make that file; run: woodshed config init"))
    }

    /// Somebody else's mistake must not keep anybody from playing. What changes something waits until it is corrected.
    @Test(arguments: [["ready"], ["status"], ["plans"], ["log"], ["open"], ["export", "next"], ["layers", "grace"]])
    @LoopActor func aMistakeInAFileKeepsNobodyFromReading(command: [String]) async throws {
        let etc = TemporaryFolder()
        let session = Session(["WOODSHED_ETC": etc.path])
        try AtomicFile.write("render:\n  wrokers: 2\n", to: etc.path("woodshed.yaml"), mode: 0o644)
        let home = ["--home", session.folder.path]
        let without = await session.run(command + home)
        #expect(without.code == .configuration, "the library may be where the mistake is: \(without.messages)")
        try Library(folder: session.folder.path + "/data").close()
        let ending = await session.run(command + home)
        let warnings = ending.messages.split(separator: "\n").filter { $0.contains("wrokers") }
        // Without an agent, `open` also names the mistake that keeps one from starting.
        #expect(warnings.count == (command == ["open"] ? 2 : 1), "\(ending.messages)")
        #expect(warnings.first?.contains("woodshed.yaml:2:3: unknown key") == true, "\(ending.messages)")
        #expect(warnings.first?.contains("this goes by the rest of the configuration") == true, "\(ending.messages)")
        #expect(ending.code != .configuration || ["status", "open"].contains(command[0]))
        // What cannot be read may name folders of marks.
        if command == ["ready"] {
            #expect(ending.code == .notReady && ending.results.contains("only a part of the configuration"), "\(ending.results)")
        }
        for writing in [["sync"], ["pin", "1"], ["layers", "grace", "--hide", "x"]] {
            #expect(await session.run(writing + home).code == .configuration, "\(writing)")
        }
    }

    /// `ready` goes by the configuration that the agent keeps, and so does what the doctor says of the next plan.
    @Test @LoopActor func whatARunningAgentGoesByDecidesWhetherAPlanIsReady() async throws {
        let session = Session()
        let home = ["--home", session.folder.path]
        _ = try session.write("render:\n  wrokers: 2\n", to: "config/woodshed.yaml")
        let library = try Library(folder: session.folder.path + "/data")
        let now = SystemClock().timestamp
        let time = now + .seconds(30 * 86_400)
        let plan = Plan(
            id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: time, lastTime: time + .seconds(3600))
        try library.plans.update([PlanContents(plan: plan, items: [])], at: now)
        try library.recordPoll(at: now, now: true)
        try library.service.recordAsked(with: Options().asked)
        library.close()
        func words() async throws -> (ready: String, doctor: String) {
            let lines = await session.run(["doctor", "--offline"] + home).results.split(separator: "\n")
            let line = try #require(lines.first { $0.contains("next plan") })
            return (await session.run(["ready"] + home).results, String(line))
        }
        let without = try await words()
        #expect(without.ready.contains("only a part of the configuration"), "\(without.ready)")
        #expect(without.doctor.contains("once the problems above are solved"), "\(without.doctor)")
        let desk = ControlDesk(log: .silent, time: SystemClock())
        desk.answer("GET", "/v1/settings") { _ in ControlReply(json: Array(Options().forOthers.utf8)) }
        try desk.open(in: session.folder.path("runtime"), library: session.folder.path("data"))
        defer { desk.close() }
        let with = try await words()
        #expect(with.ready.contains("Ready: "), "\(with.ready)")
        #expect(with.doctor.contains("Ready: "), "\(with.doctor)")
    }

    @Test(arguments: [["--watch"], ["--watch", "--json"]])
    @LoopActor func watchingNeedsATerminal(flags: [String]) async {
        let watched = await session.run(["status", "--home", session.folder.path] + flags)
        #expect(watched.code == .usage, "\(watched.messages)")
        #expect(watched.messages.contains("terminal") && watched.results == "")
    }

    @Test @LoopActor func aPlanThatNobodyKnowsIsNotReady() async throws {
        try Library(folder: session.folder.path + "/data").close()
        let ready = await session.run("ready", "--plan", "nosuch", "--home", session.folder.path)
        #expect(ready.code == .notReady && ready.messages.contains("not ready: "), "\(ready.messages)")
        #expect(await session.run("help", "ready").results.replacing("\n", with: " ").contains("no such plan, the code is 3"))
    }

    @Test @LoopActor func agesAreChecked() async {
        #expect(await session.run("ready", "--max-age", "5 s").code == .usage)
        #expect(await session.run("ready", "--max-age", "soon").code == .usage)
    }
}
