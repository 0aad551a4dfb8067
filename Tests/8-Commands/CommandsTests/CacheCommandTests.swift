import Catalogue
import CommandTestSupport
import Glibc
import Library
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

/// When the cache commands may run next to an agent.
@Suite(.onLoop)
struct CacheCommandTests {
    private let session = Session()
    private var home: String { session.folder.path }

    @Test @LoopActor func withoutALibraryNothingIsMade() async throws {
        let ending = await session.run("cache", "clear", "--home", home)
        #expect(ending.code == .failed)
        #expect(ending.messages.contains("nothing is set up yet: run 'woodshed setup"))
        #expect(try Folder.names(in: home) == [])
    }

    @Test @LoopActor func removingNeedsTheAgentsLock() async throws {
        try Library(folder: home + "/data").close()
        let lock = try AgentLock.take(in: home + "/data")
        defer { withExtendedLifetime(lock) {} }
        // The socket marks the lock's holder as an agent; the end of any other command would be awaited.
        lock.note(socket: home + "/nowhere")
        let ending = await session.run("cache", "clear", "--home", home)
        #expect(ending.code == .locked)
        #expect(ending.messages.contains("(process \(getpid()))"))
        #expect(access(home + "/cache", F_OK) != 0)
    }

    @Test @LoopActor func lookingNeedsNoLockAndChangesNothing() async throws {
        let library = try Library(folder: home + "/data")
        defer { library.close() }
        let lock = try AgentLock.take(in: library.folder)
        defer { withExtendedLifetime(lock) {} }
        #expect(await session.run("cache", "verify", "--home", home).code == .fine)
        #expect(access(home + "/cache", F_OK) != 0)
    }

    @Test @LoopActor func lockIsGivenBack() async throws {
        try Library(folder: home + "/data").close()
        #expect(await session.run("cache", "clear", "--home", home).code == .fine)
        #expect(AgentLock.runner(in: home + "/data") == nil)
    }

    @Test @LoopActor func chartAndPlanExcludeEachOther() async {
        let ending = await session.run("cache", "clear", "--chart", "a", "--plan", "b", "--home", home)
        #expect(ending.code == .usage)
        #expect(ending.messages.contains("cannot be used together"))
    }

    @Test @LoopActor func whatIsNotHereIsNotCleared() async throws {
        try Library(folder: home + "/data").close()
        #expect(await session.run("cache", "clear", "--chart", "a", "--home", home).messages.contains("no chart is here yet"))
        #expect(await session.run("cache", "clear", "--plan", "b", "--home", home).messages.contains("there are no plans here yet"))
    }

    @Test @LoopActor func emptyCacheIsWhole() async {
        let ending = await session.run("cache", "verify", "--home", home)
        #expect(ending.code == .fine, "\(ending.messages)")
        #expect(ending.results == "0 images intact, 0 bad\n")
        #expect(ending.messages == "", "there is no library that could remember anything")
    }
}
