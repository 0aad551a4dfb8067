import Agent
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AgentLockTests {
    private let folder = TemporaryFolder()

    @Test func secondTakerIsToldWhoHoldsIt() throws {
        let first = try AgentLock.take(in: folder.path)
        let failure = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: folder.path) }
        #expect(failure?.description.contains("process \(getpid())") == true)
        withExtendedLifetime(first) {}
    }

    @Test func lockGoesWithItsHolder() throws {
        var first: AgentLock? = try AgentLock.take(in: folder.path)
        withExtendedLifetime(first) {}
        first = nil
        _ = try AgentLock.take(in: folder.path)
    }

    @Test func leftFileOfADeadProcessIsNoLock() throws {
        let file = fopen(folder.path("agent.lock"), "w")
        fputs("99999\n", file)
        fclose(file)
        _ = try AgentLock.take(in: folder.path)
    }

    @Test func missingFolderIsToldAsSuch() {
        let path = folder.path("missing")
        let failure = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: path) }
        #expect(failure?.description == "cannot open \(path)/agent.lock: No such file or directory")
    }
}
