import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

extension FolderWatcherTests {
    /// What cannot be watched is looked at instead.
    @Suite(.onLoop, .serialized, .timeLimit(.minutes(5)))
    struct SlowScanTests {
        private let home = TemporaryFolder()

        @LoopActor
        private final class Ear {
            private(set) var events: [FileEvent] = []
            var count: Int { events.count }
            func hear(_ event: FileEvent) { events.append(event) }
            func forget() { events = [] }
        }

        @LoopActor
        private func watcher(_ names: [String], remote: Set<String>, clock: any TimeKeeper) throws -> FolderWatcher {
            for name in names { try Folder.create(home.path(name)) }
            let far = Set(remote.map { home.path($0) })
            return FolderWatcher(
                names.map { WatchedRoot(home.path($0), news: [.writes, .removals]) }, clock: clock, pace: .seconds(60),
                isOnNetwork: { far.contains($0) })
        }

        @Test @LoopActor func onlyTheRootOnANetworkIsLookedAt() async throws {
            let (clock, ear) = (SimulatedClock(), Ear())
            let watcher = try watcher(["near", "far"], remote: ["far"], clock: clock)
            try watcher.start { ear.hear($0) }
            defer { watcher.stop() }
            #expect(watcher.state == WatchState(folders: 1, missing: [], scanned: [home.path("far")], trouble: nil))
            await clock.run { try? await clock.sleep(for: .seconds(185)) }
            #expect(ear.events == Array(repeating: .rescan(home.path("far")), count: 3))
            ear.forget()
            for name in ["far", "near"] { _ = try Descriptor.open(home.path(name) + "/x", O_WRONLY | O_CREAT) }
            try await waitUntil { ear.count > 0 }
            #expect(ear.events == [.written(home.path("near") + "/x")])
        }

        @Test @LoopActor func atALimitEveryRootIsLookedAt() async throws {
            let (clock, ear) = (SimulatedClock(), Ear())
            let watcher = try watcher(["a", "b"], remote: [], clock: clock)
            try watcher.start { ear.hear($0) }
            watcher.giveUp(.watches(limit: 1))
            #expect(watcher.state.scanned == [home.path("a"), home.path("b")])
            await clock.run { try? await clock.sleep(for: .seconds(125)) }
            #expect(ear.events == [home.path("a"), home.path("b"), home.path("a"), home.path("b")].map { .rescan($0) })
            ear.forget()
            watcher.stop()
            await clock.run { try? await clock.sleep(for: .seconds(600)) }
            #expect(ear.events.isEmpty)
        }

        @Test @LoopActor func whereEverythingIsWatchedNothingIsLookedAt() async throws {
            let (clock, ear) = (SimulatedClock(), Ear())
            let watcher = try watcher(["a"], remote: [], clock: clock)
            try watcher.start { ear.hear($0) }
            defer { watcher.stop() }
            await clock.run { try? await clock.sleep(for: .seconds(3600)) }
            #expect(ear.events.isEmpty)
            #expect(watcher.state.scanned.isEmpty)
        }
    }
}
