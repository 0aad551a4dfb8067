import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

/// All tests with a watcher, one after the other, because a process has only one watcher.
@Suite(.onLoop, .serialized)
struct FolderWatcherTests {
    @Test @LoopActor func deletionsAndMovesOutAreReported() async throws {
        let fixture = try Fixture(charts: ["a"])
        let chart = fixture.pages + "/a"
        try fixture.put(chart + "/1.png")
        try fixture.put(chart + "/2.png")
        try await fixture.start()
        defer { fixture.watcher.stop() }
        unlink(chart + "/1.png")
        rename(chart + "/2.png", fixture.home.path("2.png"))
        try await fixture.passMarker(in: chart)
        #expect(fixture.events == [.removed(chart + "/1.png"), .removed(chart + "/2.png")])
        #expect(fixture.watcher.state == WatchState(folders: 3, missing: [], trouble: nil))
    }

    @Test @LoopActor func imagesThatComeAreNoNews() async throws {
        let fixture = try Fixture(charts: ["a"])
        let chart = fixture.pages + "/a"
        try await fixture.start()
        defer { fixture.watcher.stop() }
        try fixture.put(chart + "/1.png")
        try AtomicFile.write("image", to: chart + "/2.png")
        // Replaces an existing file: the old file is gone, but the name still exists.
        try AtomicFile.write("image", to: chart + "/2.png")
        try fixture.put(fixture.home.path("3.png"))
        rename(fixture.home.path("3.png"), chart + "/3.png")
        try await fixture.passMarker(in: chart)
        #expect(fixture.events.isEmpty)
    }

    @Test @LoopActor func writesAreReportedForARootThatRequestsThem() async throws {
        let fixture = try Fixture(roots: { [WatchedRoot($0, news: [.writes, .removals]) { $0 != "skipped" }] })
        try Folder.create(fixture.cache + "/skipped")
        try Folder.create(fixture.pages + "/deep/deeper")
        try await fixture.start()
        defer { fixture.watcher.stop() }
        try fixture.put(fixture.pages + "/deep/deeper/x")
        try fixture.put(fixture.cache + "/skipped/y")
        unlink(fixture.cache + "/skipped/y")
        symlink("/", fixture.pages + "/link")
        try await fixture.passMarker(in: fixture.pages)
        #expect(fixture.events == [.written(fixture.pages + "/deep/deeper/x"), .written(fixture.pages + "/marker")])
        #expect(fixture.watcher.state.folders == 4)
    }

    /// The names contain letters of several bytes, or a combining character that joins the slash before it.
    @Test @LoopActor func foldersOfOtherLettersAreWatched() async throws {
        let fixture = try Fixture(roots: { cache in [WatchedRoot(cache + "/Música/björn", news: [.writes, .removals]) { $0 != "b" }] })
        let root = fixture.cache + "/Música/björn"
        try await fixture.start()
        defer { fixture.watcher.stop() }
        try Folder.create(root)
        try await fixture.received(.rescan(root))
        for name in ["a", "b", "\u{301}"] { try Folder.create(root + "/" + name) }
        try await fixture.received(.rescan(root + "/\u{301}"))
        fixture.forget()
        for name in ["a/x", "b/x", "\u{301}/x"] { try fixture.put(root + "/" + name) }
        try await fixture.passMarker(in: root)
        #expect(fixture.events.filter { $0 != .written(root + "/marker") } == [.written(root + "/a/x"), .written(root + "/\u{301}/x")])
    }

    @Test @LoopActor func newChartFolderIsWatched() async throws {
        let fixture = try Fixture()
        try await fixture.start()
        defer { fixture.watcher.stop() }
        let chart = fixture.pages + "/new"
        try Folder.create(chart)
        try await fixture.received(.rescan(chart))
        try fixture.put(chart + "/1.png")
        unlink(chart + "/1.png")
        try await fixture.received(.removed(chart + "/1.png"))
    }

    @Test @LoopActor func folderThatSomebodyHoldsOpenIsWatchedAgainUnderItsName() async throws {
        let fixture = try Fixture(charts: ["a"])
        let chart = fixture.pages + "/a"
        // The kernel keeps its watch on the folder while this descriptor is open.
        let holder = try Descriptor.open(chart, O_RDONLY | O_DIRECTORY)
        try await fixture.start()
        defer { fixture.watcher.stop() }
        for _ in 0..<3 {
            rmdir(chart)
            try await fixture.received(.folderRemoved(chart))
            try Folder.create(chart)
            try await fixture.received(.rescan(chart))
            try await fixture.passMarker(in: chart)
            fixture.forget()
        }
        _ = consume holder
        try await fixture.passMarker(in: chart)
    }

    @Test @LoopActor func folderThatCameAndWentUnwatchedIsReported() async throws {
        let fixture = try Fixture()
        try await fixture.start()
        defer { fixture.watcher.stop() }
        try Folder.create(fixture.pages + "/brief")
        rmdir(fixture.pages + "/brief")
        try await fixture.passMarker(in: fixture.pages)
        #expect(fixture.events == [.folderRemoved(fixture.pages + "/brief")])
    }

    @Test @LoopActor func renamedFolderIsReportedUnderItsNewName() async throws {
        let fixture = try Fixture(charts: ["a"])
        try fixture.put(fixture.pages + "/a/1.png")
        try await fixture.start()
        defer { fixture.watcher.stop() }
        rename(fixture.pages + "/a", fixture.pages + "/b")
        try await fixture.received(.folderRemoved(fixture.pages + "/a"))
        try await fixture.received(.rescan(fixture.cache))
        unlink(fixture.pages + "/b/1.png")
        try await fixture.received(.removed(fixture.pages + "/b/1.png"))
        #expect(!fixture.events.contains(.removed(fixture.pages + "/a/1.png")))
    }

    @Test @LoopActor func vanishedRootIsReportedAndFoundAgain() async throws {
        let fixture = try Fixture(charts: ["a"])
        try await fixture.start()
        defer { fixture.watcher.stop() }
        rmdir(fixture.pages + "/a")
        rmdir(fixture.pages)
        rmdir(fixture.cache)
        try await fixture.received(.folderRemoved(fixture.cache))
        try await waitUntil { fixture.states.last?.missing == [fixture.cache] }
        fixture.forget()
        try Folder.create(fixture.pages + "/b")
        try await waitUntil { fixture.states.last?.missing == [] }
        try await waitUntil { fixture.watcher.state.folders == 3 }
        try await fixture.passMarker(in: fixture.pages + "/b")
        #expect(fixture.events.contains(.rescan(fixture.cache)))
    }

    @Test @LoopActor func eventsOfARootMovedAwayAreNoLongerReported() async throws {
        let fixture = try Fixture(charts: ["a"])
        try await fixture.start()
        defer { fixture.watcher.stop() }
        rename(fixture.cache, fixture.home.path("old"))
        try await fixture.received(.folderRemoved(fixture.cache))
        try await waitUntil { fixture.watcher.state.missing == [fixture.cache] }
        #expect(fixture.watcher.state.folders == 1)
    }

    @Test @LoopActor func rootWithoutItsParentsIsAwaited() async throws {
        let fixture = try Fixture(isThere: false, roots: { [.pageCache($0 + "/x/y")] })
        try await fixture.start()
        defer { fixture.watcher.stop() }
        let root = fixture.cache + "/x/y"
        #expect(fixture.watcher.state.missing == [root])
        // Make one folder at a time, and wait until the watcher has reported each.
        for folder in [fixture.cache, fixture.cache + "/x", root] {
            fixture.forget()
            try Folder.create(folder)
            try await fixture.received(.rescan(root))
        }
        #expect(fixture.watcher.state == WatchState(folders: 1, missing: [], trouble: nil))
        try await fixture.passMarker(in: root)
    }

    @Test @LoopActor func overflowingQueueLeadsToALookAtEverything() async throws {
        let fixture = try Fixture(charts: ["a"])
        try await fixture.start()
        defer { fixture.watcher.stop() }
        // The following loop blocks the event loop's thread, so no events are read in the meantime.
        let queue = 16_384
        for number in 0..<(queue + 100) {
            let path = fixture.pages + "/a/\(number)"
            try fixture.put(path)
            unlink(path)
        }
        try await fixture.received(.rescan(fixture.cache))
        try await fixture.passMarker(in: fixture.pages + "/a")
        #expect(fixture.events.count < queue + 100)
    }

    @Test @LoopActor func movesUntilTheNextBeginningAreOneBeginning() async throws {
        let clock = SimulatedClock()
        let fixture = try Fixture(charts: (0..<40).map { "c\($0)" }, clock: clock, spacing: .seconds(1))
        try await fixture.start()
        defer { fixture.watcher.stop() }
        for round in 0..<3 {
            for number in 0..<40 { rename(fixture.pages + "/c\(number)", fixture.pages + "/d\(number)") }
            for number in 0..<40 { rename(fixture.pages + "/d\(number)", fixture.pages + "/c\(number)") }
            try await fixture.passMarker(in: fixture.pages)
            #expect(!fixture.events.contains(.rescan(fixture.cache)), "round \(round)")
        }
        try await clock.run { try await fixture.received(.rescan(fixture.cache)) }
        #expect(fixture.watcher.state.folders == 42)
        try await fixture.passMarker(in: fixture.pages + "/c39")
        #expect(fixture.events.count { $0 == .rescan(fixture.cache) } == 1)
    }

    @Test @LoopActor func recordsOfVanishedFoldersAreFreed() async throws {
        let fixture = try Fixture(charts: ["a"])
        try await fixture.start()
        defer { fixture.watcher.stop() }
        let charts = (0..<1100).map { fixture.pages + "/\($0)" }
        for chart in charts { try Folder.create(chart) }
        try await waitUntil { fixture.watcher.state.folders == 1103 }
        for chart in charts { rmdir(chart) }
        try await fixture.received(.rescan(fixture.cache))
        #expect(try #require(fixture.watcher.watches).forgotten == 0)
        #expect(fixture.watcher.state.folders == 3)
        try await fixture.passMarker(in: fixture.pages + "/a")
    }

    @Test @LoopActor func stoppedWatcherIsSilentAndMakesRoom() async throws {
        let fixture = try Fixture(charts: ["a"])
        let other = try Fixture(charts: ["b"])
        try await fixture.start()
        await #expect(throws: SystemError.self) { try await other.start() }
        unlink(fixture.pages + "/a/none")
        rmdir(fixture.pages + "/a")
        fixture.watcher.stop()
        try await other.start()
        defer { other.watcher.stop() }
        try await other.passMarker(in: other.pages + "/b")
        #expect(other.events.isEmpty && fixture.events.isEmpty)
        #expect(fixture.watcher.state.folders == 0)
    }

    @Test @LoopActor func handlerMayStopTheWatcher() async throws {
        let fixture = try Fixture(charts: ["a"])
        try await fixture.start()
        fixture.onEvent = { _ in fixture.watcher.stop() }
        for name in ["1", "2", "3"] {
            try fixture.put(fixture.pages + "/a/" + name)
            unlink(fixture.pages + "/a/" + name)
        }
        try await waitUntil { !fixture.events.isEmpty }
        fixture.onEvent = nil
        try await fixture.start()
        defer { fixture.watcher.stop() }
        try await fixture.passMarker(in: fixture.pages + "/a")
        #expect(fixture.events == [.removed(fixture.pages + "/a/1")])
    }

    @Test @LoopActor func programsStartedMeanwhileDoNotInheritIt() async throws {
        let fixture = try Fixture()
        try await fixture.start()
        defer { fixture.watcher.stop() }
        let descriptor = try #require(fixture.watcher.watches?.inotify).descriptor
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
}
