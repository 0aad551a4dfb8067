import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program's overview of the next plan, and its version.
@Suite(.onLoop)
struct OverviewTests {
    private let home = TemporaryFolder()

    @LoopActor private func woodshed(_ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words, environment: ["WOODSHED_HOME=" + home.path, "WOODSHED_RENDER_FULL_SIZE=200"])
    }

    @Test @LoopActor func theNameAloneSaysWhatIsNextAndWhetherItIsReady() async throws {
        let before = try await woodshed()
        #expect(before.exit == .code(2) && before.output.isEmpty && before.messages.contains("woodshed setup"), "\(before.messages)")
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let ready = try await woodshed()
        let lines = ready.output.split(separator: "\n")
        try #require(ready.exit == .code(0) && lines.count == 3 && ready.messages.isEmpty, "\(ready.output)\(ready.messages)")
        #expect(lines[0].contains("Gathered In") && lines[1].hasPrefix("Ready:  yes, 9 charts"), "\(ready.output)")
        #expect(lines[2].contains("'woodshed open next'"))
        let off = try await Program.run("woodshed", ["--home", home.path], environment: ["WOODSHED_VIEWER_ENABLED=false"]).output
        #expect(off.contains("Open:   the pages are switched off (viewer.enabled: false); 'woodshed help --home"), "\(off)")
        let library = home.path("data/charts")
        for name in try Folder.names(in: library) { try AtomicFile.write("", to: library + "/" + name) }
        #expect(try await woodshed().output.contains("Ready:  no; 'woodshed ready' says what is missing"))
    }

    /// On the first evening, the service may not have answered yet, for example because there is no network. Nothing may be called
    /// ready then.
    @Test @LoopActor func nothingIsCalledReadyBeforeTheServiceHasAnswered() async throws {
        let closed = try await woodshed("open")
        #expect(closed.exit == .code(1) && closed.messages.contains("run 'woodshed setup'"), "\(closed.messages)")
        let place = try Place()
        place.service.setFault(.serverError, on: .schedules)
        #expect(try await place.run("sync").exit != .code(0))
        let ready = try await Program.run("woodshed", ["--home", place.home.path], environment: [])
        #expect(ready.output.contains("Next:   not known") && ready.output.contains("Ready:  no; "), "\(ready.output)\(ready.messages)")
    }

    @Test @LoopActor func aPortThatAnotherProgramHasIsFoundByTheDoctor() async throws {
        let place = try Place()
        let port = try #require(place.service.apiURL.firstMatch(of: /:(\d+)/)?.1)
        let agent = try Program("woodshed", ["agent", "--home", place.home.path, "--viewer-port=\(port)"])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let doctor = try await place.run("doctor", "--offline")
        #expect(doctor.exit == .code(3) && doctor.output.contains("no browser is shown the pages: "), "\(doctor.output)")
        agent.child.kill(SIGTERM)
        _ = try await agent.result()
    }

    @Test @LoopActor func helpListsTheCommandsInGroups() async throws {
        let help = try await woodshed("--help").output
        let titles = ["To begin:", "Every week:", "Plans and charts:", "The running agent:", "The machine:"]
        let places = titles.compactMap { help.firstRange(of: $0)?.lowerBound }
        #expect(places.count == titles.count && places == places.sorted(), "\(help)")
        #expect(help.split(separator: "\n").filter { $0.hasPrefix("  ready ") || $0.hasPrefix("  doctor ") }.count == 2)
    }

    /// The version is printed at once, whatever state the home is in. Here pipes are in place of the files, so reading one would block
    /// for ever.
    @Test @LoopActor func theVersionNeedsNothingOfTheHome() async throws {
        for folder in ["config", "data", "cache"] { try Folder.create(home.path(folder)) }
        for file in ["config/woodshed.yaml", "data/catalogue.sqlite", "data/home-id"] { try #require(mkfifo(home.path(file), 0o600) == 0) }
        let run = try await woodshed("--version")
        #expect(run.exit == .code(0) && run.output.hasPrefix("woodshed ") && run.messages.isEmpty, "\(run.messages)")
    }
}
