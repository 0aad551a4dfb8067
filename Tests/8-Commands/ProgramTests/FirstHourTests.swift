import Catalogue
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// A musician's first hour at the command line.
@Suite(.onLoop)
struct FirstHourTests {
    @Test @LoopActor func whatIsToBeTypedLeadsToTheSameHome() async throws {
        let home = TemporaryFolder()
        let plans = try await Program.run("woodshed", ["plans", "--home", home.path])
        #expect(plans.messages.contains("nothing is set up yet: run 'woodshed setup --home \(home.path)'"), "\(plans.messages)")
        let file = home.path("my file.yaml")
        try AtomicFile.write("log:\n", to: file)
        let sync = try await Program.run("woodshed", ["sync", "--config", file])
        #expect(sync.messages.contains("'woodshed config init --config '\(file)''"), "\(sync.messages)")
        #expect(sync.messages.contains("'woodshed setup --config '\(file)''"), "\(sync.messages)")
    }

    @Test @LoopActor func theEnvironmentMayNameTheHome() async throws {
        let home = TemporaryFolder()
        let variable = ["WOODSHED_HOME=\(home.path)"]
        let shown = try await Program.run("woodshed", ["config", "show"], environment: variable)
        let lines = shown.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("folders.data") && $0.hasSuffix("environment WOODSHED_HOME") }, "\(shown.output)")
        #expect(lines.contains { $0.hasSuffix(home.path("config/woodshed.yaml")) })
        #expect(shown.messages.isEmpty, "\(shown.messages)")
        let other = try await Program.run("woodshed", ["config", "show", "--home", "/other"], environment: variable)
        #expect(other.output.contains("/other/data") && !other.output.contains(home.path), "the flag counts")
        let plans = try await Program.run("woodshed", ["plans"], environment: variable)
        #expect(plans.messages.contains("run 'woodshed setup'"), "the next command finds the variable as well: \(plans.messages)")
        let faulty = try await Program.run("woodshed", ["config", "show"], environment: ["WOODSHED_HOME=~ann/x"])
        #expect(faulty.exit == .code(4) && faulty.messages.contains("environment WOODSHED_HOME: "))
    }

    @Test @LoopActor func aSecondSyncWaitsForTheFirst() async throws {
        let place = try Place()
        let data = place.home.path("data")
        try Folder.create(data)
        var lock: AgentLock? = try AgentLock.take(in: data)
        let second = try Program("woodshed", ["sync", "--home", place.home.path])
        try await waitUntil { try second.messagesSoFar().contains("Waiting for ") }
        let said = try second.messagesSoFar()
        #expect(said.hasPrefix("Waiting for another program (process \(getpid())), which has been at work here since "), "\(said)")
        withExtendedLifetime(lock) {}
        lock = nil
        let ending = try await second.result()
        #expect(ending.exit == .code(0), "\(ending.messages)")
    }

    /// Any of these commands may get the lock first, and the others may find it taken at any moment. All of them must succeed.
    @Test @LoopActor func syncsAndClearingsOfTheSameInstantAllEndWell() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let programs = try ["sync", "sync", "sync", "cache clear", "cache clear"].map { words in
            try Program("woodshed", words.split(separator: " ").map(String.init) + ["--home", place.home.path])
        }
        for program in programs {
            let ending = try await program.result()
            #expect(ending.exit == .code(0), "\(ending.messages)")
        }
    }

    @Test @LoopActor func whoWaitsSaysForWhomAndSinceWhen() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        place.service.setFault(.silence, on: .me)
        let first = try Program("woodshed", ["sync", "--home", place.home.path])
        try await waitUntil { place.service.statistics.faults > 0 }
        let clear = try Program("woodshed", ["cache", "clear", "--home", place.home.path])
        let words = "Waiting for 'woodshed sync' (process \(first.child.pid)), which has been at work here since "
        try await waitUntil { try clear.messagesSoFar().hasPrefix(words) }
        first.child.kill(SIGINT)
        _ = try await first.result()
        let ending = try await clear.result()
        #expect(ending.exit == .code(0), "\(ending.messages)")
    }

    @Test(arguments: ["sync", "demo"]) @LoopActor func interruptionSaysThatWhatIsHereStays(command: String) async throws {
        let place = try Place()
        let program: Program
        if command == "sync" {
            place.service.setFault(.silence, on: .me)
            program = try Program("woodshed", ["sync", "--home", place.home.path])
            try await waitUntil { place.service.statistics.faults > 0 }
        } else {
            // The size makes the work last until the signal comes, however busy the machine is.
            program = try Program("woodshed", ["demo", "--once", "--home", place.home.path, "--render-full-size=12000"])
            try await waitUntil { access(place.home.path("runtime/demo.url"), F_OK) == 0 }
        }
        program.child.kill(SIGINT)
        let ending = try await program.result()
        #expect(ending.exit == .code(130), "\(ending.messages)")
        #expect(ending.messages.contains("Stopped. What "), "\(ending.messages)")
    }
}
