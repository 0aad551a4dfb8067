import CommandTestSupport
import Library
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
