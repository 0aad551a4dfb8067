import Glibc
import Platform
import TestSupport
import Testing

/// Other commands of the program, as built, pass work to the running agent.
@Suite(.onLoop)
struct AskedAgentTests {

    @LoopActor
    private func begin(_ place: Place) async throws -> Program {
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        return agent
    }

    @LoopActor
    private func end(_ agent: Program) async throws {
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @Test @LoopActor func aPauseIsToldAndEnds() async throws {
        let place = try Place()
        #expect(try await place.run("pause").exit == .code(1), "there is no agent")
        let agent = try await begin(place)
        let awake = try await place.run("status").output
        #expect(awake.contains("asked again in"), "\(awake)")
        #expect(try await place.run("pause", "--for", "2h").exit == .code(0))
        let paused = try await place.run("status").output
        #expect(paused.contains("paused") || paused.contains("Paused"), "\(paused)")
        let refused = try await place.run("sync")
        #expect(refused.exit == .code(1) && refused.messages.contains("'woodshed resume --home"), "\(refused.messages)")
        #expect(try await place.run("ready").exit == .code(0), "what is here is ready all the same")
        #expect(try await place.run("resume").output == "The agent has resumed.\n")
        #expect(try await place.run("resume").output == "The agent was not paused.\n")
        #expect(try await !place.run("status").output.contains("paused"))
        #expect(try await place.run("sync").exit == .code(0))
        try await end(agent)
    }

    @Test @LoopActor func anAgentWithOtherSettingsDoesNotAnswerForThese() async throws {
        let place = try Place()
        let agent = try await begin(place)
        #expect(try await place.run("sync").exit == .code(0))
        let sync = try await place.run("sync", "--charts-exclude=zzz*")
        #expect(sync.exit == .code(3) && sync.messages.contains("different settings (charts.exclude)"), "\(sync.messages)")
        let json = try await place.run("sync", "--charts-exclude=zzz*", "--json")
        #expect(
            json.exit == .code(3) && json.output.contains("different settings") && !json.output.contains("\"ready\":true"), "\(json.output)"
        )
        #expect(json.output.split(separator: "\n").count == 1, "\(json.output)")
        let ready = try await place.run("ready", "--charts-exclude=zzz*")
        #expect(ready.exit == .code(3) && ready.output.contains("restart it with these"), "\(ready.output)")
        #expect(!ready.output.contains("The running agent fetches"), "it does not fetch what these ask for: \(ready.output)")
        #expect(try await place.run("ready").exit == .code(0))
        try await end(agent)
    }

    @Test @LoopActor func aFaultyConfigurationHidesNoAgent() async throws {
        let place = try Place()
        let agent = try await begin(place)
        let file = place.home.path("config/woodshed.yaml")
        let good = String(decoding: try AtomicFile.read(file, limit: 1 << 20), as: UTF8.self)
        try AtomicFile.write(good.replacing("full_size: 200", with: "full_size: much"), to: file)
        let status = try await place.run("status")
        #expect(status.exit == .code(4) && status.messages.contains("woodshed.yaml:7"), "\(status.messages)")
        #expect(status.messages.contains("(process \(agent.child.pid)) keeps its previous configuration"), "\(status.messages)")
        #expect(status.output.hasPrefix("Ready: ") && status.output.contains("Service"), "\(status.output)")
        let ready = try await place.run("ready")
        #expect(ready.exit == .code(0) && ready.output.hasPrefix("Ready: "), "it goes by the agent's sizes: \(ready.output)")
        #expect(ready.messages.contains("woodshed.yaml:7") && ready.messages.contains("keeps its previous configuration"))
        let typed = try await place.run("ready", "--render-full-size=much")
        #expect(typed.exit != .code(0) && typed.output == "", "what is typed wrong is not passed over")
        #expect(status.output.contains("(process \(agent.child.pid))") && status.output.contains("Rendering"), "\(status.output)")
        try await end(agent)
        let alone = try await place.run("status")
        #expect(alone.exit == .code(4) && alone.output.contains("not running"), "\(alone.output)")
        #expect(alone.messages.contains("woodshed.yaml:7") && !alone.messages.contains("keeps its previous"), "\(alone.messages)")
    }

    @Test @LoopActor func whatTheAgentIsStillToReadIsNotReady() async throws {
        let place = try Place()
        let file = place.home.path("config/woodshed.yaml")
        // These times are long enough for the agent to leave a file alone during the whole test after a save.
        let waiting = "\nannotations:\n  settle: 60000\n  settle_most: 600000\n"
        try AtomicFile.write(String(decoding: try AtomicFile.read(file, limit: 1 << 20), as: UTF8.self) + waiting, to: file)
        let agent = try await begin(place)
        #expect(try await place.run("ready").exit == .code(0))
        let path = place.home.path("music/own.marks.json")
        try Folder.create(place.home.path("music"))
        try AtomicFile.write(MarkText.native("79073904", [MarkText.Dot(page: 0, x: 0.5)]), to: path)
        let ready = try await place.run("ready")
        #expect(ready.exit == .code(3) && ready.output.contains("your marks: \(path) is new and has not been read yet"), "\(ready.output)")
        let why = try await place.run("why", "79073904", "1")
        #expect(why.output.contains("\(path) is new and has not been read yet"), "\(why.output)")
        try await end(agent)
    }

    @Test @LoopActor func aControlSocketThatIsLostComesBack() async throws {
        let place = try Place()
        let agent = try await begin(place)
        let runtime = place.home.path("runtime")
        let names = try Folder.names(in: runtime)
        #expect(names.contains { $0.hasPrefix("control-") }, "\(names)")
        for name in names { unlink(runtime + "/" + name) }
        #expect(rmdir(runtime) == 0)
        try await waitUntil { try await place.run("pause").exit == .code(0) }
        #expect(try agent.messagesSoFar().contains("the way for other commands to reach this agent was removed, and is there again"))
        #expect(try await place.run("resume").output == "The agent has resumed.\n")
        #expect(try await place.run("resume").output == "The agent was not paused.\n")
        try await end(agent)
    }

    /// Nobody waits for it as for a command that ends by itself.
    @Test @LoopActor func anAgentThatCannotBeReachedForAFileIsKnownToBeOne() async throws {
        let place = try Place()
        let runtime = place.home.path("runtime")
        try AtomicFile.write("a note", to: runtime)
        let agent = try await begin(place)
        for command in ["sync", "open", "status"] {
            let told = try await place.run(command)
            let said = (told.output + told.messages).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(said.contains("\(runtime) is a file where its runtime folder belongs"), "\(command): \(said)")
        }
        let second = try await place.run("agent")
        #expect(second.messages.contains("another woodshed agent"), "\(second.messages)")
        try await end(agent)
    }

    @Test @LoopActor func theBrowsersPageIsGoneOnceItWasUsed() async throws {
        let place = try Place()
        let agent = try await begin(place)
        let bin = place.home.path("bin")
        try Folder.create(bin)
        try AtomicFile.write(
            "#!/bin/sh\n/bin/cp \"${1#file://}\" '\(bin)/part' && /bin/mv '\(bin)/part' '\(bin)/seen'\n", to: bin + "/xdg-open", mode: 0o755
        )
        let opened = try await Program.run(
            "woodshed", ["open", "--home", place.home.path], environment: ["DISPLAY=:0", "PATH=" + bin])
        #expect(opened.exit == .code(0), "\(opened.messages)")
        try await waitUntil { access(bin + "/seen", F_OK) == 0 }
        let address = String(opened.output.prefix { $0 != "\n" })
        #expect(String(decoding: try AtomicFile.read(bin + "/seen", limit: 4096), as: UTF8.self).contains("url=\(address)\""))
        func pages() throws -> [String] { try Folder.names(in: place.home.path("runtime")).filter { $0.hasPrefix("woodshed-open-") } }
        #expect(try pages().count == 1)
        let port = try #require(address.split(separator: "/")[1].split(separator: ":").last)
        let reply = try await SideThread().run {
            let parts = address.split(separator: "/")
            return try HTTPProbe.send("GET", "http://127.0.0.1:\(port)/\(parts[2])", headers: [("Host", String(parts[1]))])
        }
        #expect(reply.status == 303)
        #expect(try pages() == [])
        try await end(agent)
    }

    @Test @LoopActor func openTellsProgramsTheAddress() async throws {
        let place = try Place()
        let agent = try await begin(place)
        let open = try await place.run("open", "--json")
        #expect(open.output.hasPrefix(#"{"schema":1,"address":"http://"#), "\(open.output)\(open.messages)")
        let list = try await place.run("open", "--list", "--json")
        #expect(list.output == #"{"schema":1,"address":null,"browsers":[],"ended":null}"# + "\n", "\(list.messages)")
        try await end(agent)
    }

    @Test(.needs(.kill)) @LoopActor func anAgentThatWasKilledIsNotAskedForLong() async throws {
        let place = try Place()
        let agent = try await begin(place)
        agent.child.kill(SIGSTOP)
        let silent = try await place.run("status")
        #expect(silent.exit == .code(0) && silent.output.contains("does not answer"), "\(silent.output)")
        let remedy = "kill -9 \(agent.child.pid)"
        for command in ["sync", "open", "doctor", "ready"] {
            let told = try await place.run(command)
            let words = (told.output + told.messages).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(told.exit == .code(command == "doctor" ? 3 : command == "ready" ? 0 : 1), "\(command): \(words)")
            let patience = ["sync", "open"].contains(command) ? 10 : 5
            #expect(
                words.contains("the agent (process \(agent.child.pid)) has not answered for \(patience) seconds"), "\(command): \(words)")
            #expect(words.contains("if it hangs, stop it with '\(remedy)'"), "\(command): \(words)")
        }
        // The remedy, as it was told.
        #expect(try await Program.run("/bin/sh", ["-c", remedy]).exit == .code(0))
        _ = try await agent.result()
        let gone = try await place.run("status")
        #expect(gone.exit == .code(0) && !gone.output.contains("process \(agent.child.pid)"), "\(gone.output)")
        #expect(try await place.run("resume").exit == .code(1))
    }
}
