import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// Two players, each with an agent, share a folder and use the commands of the manual's page about bands.
@Suite(.onLoop)
struct BandTests {
    private let folder = TemporaryFolder()
    private var anna: String { folder.path("home") }
    private var ben: String { folder.path("home/player-2") }

    private func environment(_ home: String) -> [String] {
        ["WOODSHED_HOME=\(home)", "WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "HOME=\(folder.path)"]
    }

    @LoopActor
    private func run(_ words: [String], as home: String) async throws -> Program.Result {
        try await Program.run("woodshed", words, environment: environment(home))
    }

    /// Runs a command that must succeed, and returns its output.
    @LoopActor
    private func output(_ words: [String], as home: String) async throws -> String {
        let result = try await run(words, as: home)
        #expect(result.exit == .code(0), "\(words): \(result.output)\(result.messages)")
        return result.output + result.messages
    }

    @Test @LoopActor func whatIsDrawnAndSaidReachesTheOther() async throws {
        let demo = try Program("woodshed", ["demo", "--players", "2"], environment: environment(anna))
        AfterTest.end {
            demo.child.kill(SIGINT)
            _ = try? await demo.result()
        }
        try await waitUntil { try demo.messagesSoFar().contains("What Ben sees") }
        let mark = #"{"version":1,"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2],[0.3,0.4]]}]}"#
        try AtomicFile.write(mark, to: folder.path("sign.marks.json"))
        _ = try await output(["layers", "riverside", "--import", folder.path("sign.marks.json")], as: anna)
        try await waitUntil { try await run(["layers", "riverside"], as: ben).output.contains("Anna") }

        // Both players are named, with the charts that they share and whether they are ready.
        let band = try await output(["band"], as: ben)
        #expect(band.contains("The demo's band, at \(anna)/band") && band.contains("Here: Ben") && band.contains("Anna (Anna's laptop)"))
        try await waitUntil {
            let ready = try await run(["band", "ready", "--max-age", "6h"], as: anna)
            return ready.exit == .code(0) && ready.output.contains("Anna: ready") && ready.output.contains("Ben: ready")
        }

        // A player who is left out is not shown, and does not count. A player who is let in again is shown as before.
        _ = try await output(["band", "leave-out", "Anna"], as: ben)
        try await waitUntil { try await !run(["layers", "riverside"], as: ben).output.contains("Anna") }
        #expect(try await run(["band", "ready"], as: ben).messages.contains("Left out here, and not asked: Anna."))
        _ = try await output(["band", "let-in", "Anna"], as: ben)
        try await waitUntil { try await run(["layers", "riverside"], as: ben).output.contains("Anna") }

        // While the band's folder is away, nobody counts as ready, and the commands report why.
        let marker = anna + "/band/team.json"
        let bytes = try AtomicFile.read(marker, limit: 1 << 16)
        try Folder.create(folder.path("elsewhere"))
        #expect(rename(anna + "/band", folder.path("elsewhere/band")) == 0)
        for words in [["band", "ready"], ["band"]] {
            let away = try await run(words, as: ben)
            #expect(away.exit == .code(3) && away.output.contains("is away"), "\(away.output)")
        }
        #expect(rename(folder.path("elsewhere/band"), anna + "/band") == 0)

        // A marker that was lost, or replaced by that of another band, is put back.
        for other in [nil, #"{"format":1,"id":"otherotherothero","name":"Other"}"#] {
            #expect(unlink(marker) == 0)
            if let other { try AtomicFile.write(other, to: marker) }
            let lost = try await run(["band"], as: ben)
            #expect(lost.exit == .code(3) && lost.output.contains("band mend"), "\(lost.output)")
            _ = try await output(["band", "mend", "--name", "The demo's band"], as: ben)
            #expect(try AtomicFile.read(marker, limit: 1 << 16) == bytes)
        }

        // A chart that is no longer shared disappears, and a player who leaves removes everything and no longer sees the others.
        _ = try await output(["band", "share", "--all"], as: ben)
        _ = try await output(["layers", "riverside", "--import", folder.path("sign.marks.json")], as: ben)
        _ = try await output(["band", "share", "riverside", "--off"], as: anna)
        try await waitUntil { try await !run(["layers", "riverside"], as: ben).output.contains("Anna") }
        // `leave` reports success only after it has checked the band's folder; work that must wait is done later.
        #expect(unlink(marker) == 0)
        let early = try await run(["band", "leave"], as: ben)
        #expect(early.exit == .code(3) && early.output.contains("what you shared is still there"), "\(early.output)\(early.messages)")
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: marker) }
        #expect(try await output(["band", "leave"], as: ben).contains("your marks are out of"))
        let device = try #require(
            try Folder.names(in: anna + "/band/d").first { name in
                try String(decoding: AtomicFile.read("\(anna)/band/d/\(name)/head.json", limit: 1 << 22), as: UTF8.self).contains(#""Ben""#)
            })
        #expect(try Folder.names(in: "\(anna)/band/d/\(device)") == ["head.json"])
        try await waitUntil { try await run(["band"], as: anna).output.contains("left the band") }
    }

    /// A band may be begun before an account is set up, and says who is there before anything was fetched.
    @Test @LoopActor func whoIsThereIsSaidBeforeAnythingWasFetched() async throws {
        let place = try Place()
        defer { place.service.stop() }
        let band = place.home.path("band")
        #expect(try await place.run("band", "create", band, "--name", "Harmony", "--person", "Anna").exit == .code(0))
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil {
            (try? Folder.names(in: band + "/d"))?.contains { access("\(band)/d/\($0)/head.json", F_OK) == 0 } == true
        }
        agent.child.kill(SIGTERM)
        _ = try await agent.result()
        _ = try await output(["band", "join", band, "--person", "Ben"], as: ben)
        let told = try await output(["band"], as: ben)
        #expect(told.contains("Harmony, at \(band)") && told.contains("Anna") && !told.contains("Here: "), "\(told)")
    }

    @Test(.needs(.otherPrograms), .whereInstalled(.rcloneWebDAV)) @LoopActor func aServerWithoutAKeyIsAskedForOneAtTheTerminal()
        async throws
    {
        let server = try await StorageServer.start(.rcloneWebDAV)
        let place = server.address + "Harmony"
        let program = try TypedProgram(
            "woodshed", ["band", "create", place, "--name", "Harmony", "--person", "Anna"],
            environment: environment(anna) + ["WOODSHED_ACCOUNT_ALLOW_HTTP_LOOPBACK=true"])
        for (question, line) in [
            ("User: ", server.user), ("Password (it is not shown): ", "guessed"), ("does not accept this user", server.user),
            ("Password (it is not shown): ", server.password),
        ] { try await program.answer(question, line) }
        #expect(await program.child.exit() == .code(0), "\(program.screen)")
        #expect(program.sees("its place is \(place)") && !program.screen.contains(server.password), "\(program.screen)")
        let kept = try Folder.names(in: anna + "/data").filter { $0.hasPrefix("band-key-") }
        var status = stat()
        #expect(stat(anna + "/data/" + (try #require(kept.first)), &status) == 0)
        #expect(kept.count == 1 && status.st_mode & 0o777 == 0o600)
    }

    @Test @LoopActor func aConfigurationThatWasWrittenHereIsNotKeptEachTime() async throws {
        try Folder.create(anna + "/config")
        try AtomicFile.write("plans:\n  ahead: 7 days\n", to: anna + "/config/woodshed.yaml")
        _ = try await output(["band", "create", folder.path("place"), "--name", "Harmony"], as: anna)
        for _ in 0..<3 {
            _ = try await output(["band", "leave"], as: anna)
            _ = try await output(["band", "join", folder.path("place")], as: anna)
        }
        #expect(try Folder.names(in: anna + "/config").sorted() == ["woodshed.yaml", "woodshed.yaml.old"])
    }

    @Test(.needs(.otherPrograms), .whereInstalled(.rcloneWebDAV)) @LoopActor func aServerLetsInWhoHasTheKeyAndTheDoctorTriesIt()
        async throws
    {
        let server = try await StorageServer.start(.rcloneWebDAV)
        let (place, key) = (server.address + "Harmony", folder.path("key"))
        func run(_ words: String...) async throws -> Program.Result {
            try await Program.run("woodshed", words, environment: environment(anna) + ["WOODSHED_ACCOUNT_ALLOW_HTTP_LOOPBACK=true"])
        }
        let stranger = try await run("band", "create", place, "--name", "Harmony", "--person", "Anna")
        #expect(stranger.exit == .code(1) && stranger.messages.contains("--band-key-file FILE"), "\(stranger.messages)")
        try AtomicFile.write("\(server.user):guessed\n", to: key)
        let guess = try await run("band", "create", place, "--name", "Harmony", "--band-key-file", key)
        #expect(guess.exit == .code(1) && guess.messages.contains("does not accept the user and password"), "\(guess.messages)")
        try AtomicFile.write("\(server.user):\(server.password)\n", to: key)
        let made = try await run("band", "create", place, "--name", "Harmony", "--person", "Anna", "--band-key-file", key)
        #expect(made.exit == .code(0) && made.output.contains("its place is \(place)"), "\(made.messages)")
        let again = try await run("band", "create", place, "--name", "Other")
        #expect(again.exit == .code(1) && again.messages.contains("band join"), "\(again.messages)")
        let tried = try await run("doctor")
        #expect(tried.output.contains("\(place) is the place of Harmony, and this device may write and remove there"), "\(tried.output)")
        #expect(!(tried.output + made.output + made.messages).contains(server.password))
        #expect(try await run("band", "leave").exit == .code(0))
    }
}
