import Catalogue
import Agent
import CommandTestSupport
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

/// Commands report their changes to a running agent, or report that the agent cannot be reached.
@Suite(.onLoop)
struct AgentWithinReachTests {
    private let session = Session()
    private var runtime: String { session.folder.path("runtime") }
    private var library: String { session.folder.path("data") }

    @Test @LoopActor func anAgentThatCannotBeReachedIsNotDenied() async throws {
        let time = Timestamp(nanoseconds: 1_000_000_000_000_000_000)
        let catalogue = try Library(folder: library)
        let plan = Plan(
            id: PlanID("67810001"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: time, lastTime: time + .seconds(3600))
        try catalogue.plans.update([PlanContents(plan: plan, items: [])], at: time)
        catalogue.close()
        let home = ["--home", session.folder.path]
        // A lock without a socket belongs to a command that only syncs, not to an agent.
        let lock = try AgentLock.take(in: library)
        #expect(await session.run(["pause"] + home).messages.contains("needs a running agent"))

        let socket = ControlDesk.socket(in: runtime, library: library)
        lock.note(socket: socket)
        #expect(AgentLock.socket(in: library) == socket && AgentLock.runner(in: library) == getpid())
        for command in [["pause"], ["resume"], ["open"], ["sync"]] {
            let outcome = await session.run(command + home)
            #expect(outcome.code == .locked, "\(command)")
            let words = "an agent is running (process \(getpid())) but cannot be reached: \(socket) does not answer"
            #expect(outcome.messages.contains(words), "\(command) \(outcome.messages)")
            #expect(outcome.messages.contains("try again in a moment, otherwise stop it with 'kill \(getpid())'"))
        }
        let pinned = await session.run(["pin", "67810001"] + home)
        #expect(pinned.code == .fine && pinned.messages.contains("the agent could not be told: an agent is running"), "\(pinned.messages)")
        let status = await session.run(["status"] + home)
        #expect(status.results.contains("cannot be reached"), "\(status.results)")

        try AtomicFile.write("a note", to: runtime)
        for command in ["pause", "open", "sync", "status"] {
            let outcome = await session.run([command] + home)
            let words = "\(runtime) is a file where its runtime folder belongs"
            let said = (outcome.messages + outcome.results).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(said.contains(words), "\(command): \(said)")
        }
        unlink(runtime)

        lock.note(socket: "/run/user/7/woodshed/control-x")
        let elsewhere = await session.run(["pause"] + home).messages
        #expect(elsewhere.contains("it listens on /run/user/7/woodshed/control-x, but this command tried \(socket)"), "\(elsewhere)")
        withExtendedLifetime(lock) {}
    }

    /// Looking for a demo must not take the lock, which a demo that starts at that moment needs.
    @Test @LoopActor func aDemoIsLookedForWithoutTouchingItsLock() async throws {
        try Folder.create(library)
        let lock = AgentLock.path(in: library)
        try AtomicFile.write("99999999\n", to: lock)
        let listing = await session.run("demo", "edit", "--home", session.folder.path)
        #expect(listing.code != .fine && listing.messages.contains("demo"), "\(listing.messages)")
        #expect(try AtomicFile.read(lock, limit: 1000) == Array("99999999\n".utf8))
    }

    @Test @LoopActor func pinTellsTheAgent() async throws {
        let time = Timestamp(nanoseconds: 1_000_000_000_000_000_000)
        let catalogue = try Library(folder: library)
        let plan = Plan(
            id: PlanID("67810001"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: time, lastTime: time + .seconds(3600))
        try catalogue.plans.update([PlanContents(plan: plan, items: [])], at: time)
        catalogue.close()
        var told = 0
        let desk = ControlDesk(log: .silent, time: SystemClock())
        desk.answer("POST", "/v1/changed") { _ in
            told += 1
            return ControlReply(status: 202)
        }
        try desk.open(in: runtime, library: library)
        for (command, count) in [("pin", 1), ("pin", 1), ("unpin", 2), ("unpin", 2)] {
            let outcome = await session.run(command, "67810001", "--home", session.folder.path)
            #expect(outcome.code == .fine, "\(outcome.messages)")
            #expect(told == count)
        }
        desk.close()
    }
}
