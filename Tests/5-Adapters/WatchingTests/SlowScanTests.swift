import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

extension FolderWatcherTests {
    /// Folders that cannot be watched are scanned instead.
    @Suite(.onLoop, .serialized)
    struct SlowScanTests {
        private let home = TemporaryFolder()

        @LoopActor
        private final class Receiver {
            private(set) var events: [FileEvent] = []
            var count: Int { events.count }
            func receive(_ event: FileEvent) { events.append(event) }
            func forget() { events = [] }
        }

        @LoopActor
        private final class Limit {
            var isReached = true
        }

        @LoopActor
        private func watcher(_ names: [String], remote: Set<String>, clock: any TimeKeeper) throws -> FolderWatcher {
            for name in names { try Folder.create(home.path(name)) }
            let far = Set(remote.map { home.path($0) })
            return FolderWatcher(
                names.map { WatchedRoot(home.path($0), news: [.writes, .removals]) }, clock: clock, pace: .seconds(60),
                mounts: { Self.mounts(far) })
        }

        @Test @LoopActor func onlyTheRootOnANetworkIsLookedAt() async throws {
            let (clock, receiver) = (SimulatedClock(), Receiver())
            let watcher = try watcher(["near", "far"], remote: ["far"], clock: clock)
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            #expect(watcher.state == WatchState(folders: 1, missing: [], scanned: [home.path("far")], trouble: nil))
            await clock.run { try? await clock.sleep(for: .seconds(185)) }
            #expect(receiver.events == Array(repeating: .rescan(home.path("far")), count: 3))
            receiver.forget()
            for name in ["far", "near"] { _ = try Descriptor.open(home.path(name) + "/x", O_WRONLY | O_CREAT) }
            try await waitUntil { receiver.count > 0 }
            #expect(receiver.events == [.written(home.path("near") + "/x")])
        }

        @Test @LoopActor func atALimitEveryRootIsLookedAt() async throws {
            let (clock, receiver) = (SimulatedClock(), Receiver())
            let watcher = try watcher(["a", "b"], remote: [], clock: clock)
            try watcher.start { receiver.receive($0) }
            watcher.giveUp(.watches(limit: 1))
            #expect(watcher.state.scanned == [home.path("a"), home.path("b")])
            await clock.run { try? await clock.sleep(for: .seconds(125)) }
            #expect(receiver.events == [home.path("a"), home.path("b"), home.path("a"), home.path("b")].map { .rescan($0) })
            receiver.forget()
            watcher.stop()
            await clock.run { try? await clock.sleep(for: .seconds(600)) }
            #expect(receiver.events.isEmpty)
        }

        @Test @LoopActor func watchingIsTriedAgainAtASlowPace() async throws {
            let (clock, receiver) = (SimulatedClock(), Receiver())
            let watcher = try watcher(["a"], remote: [], clock: clock)
            var states: [WatchState] = []
            watcher.setListener { states.append($0) }
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            let good = watcher.state
            watcher.giveUp(.watches(limit: 1))
            await clock.run { try? await clock.sleep(for: .seconds(590)) }
            #expect(watcher.state.trouble != nil && states.isEmpty)
            receiver.forget()
            await clock.run { try? await clock.sleep(for: .seconds(20)) }
            #expect(watcher.state == good)
            #expect(states == [good])
            #expect(receiver.events.contains(.rescan(home.path("a"))), "whatever happened meanwhile was not reported")
            receiver.forget()
            _ = try Descriptor.open(home.path("a/x"), O_WRONLY | O_CREAT)
            try await waitUntil { receiver.count > 0 }
            #expect(receiver.events == [.written(home.path("a/x"))])
            receiver.forget()
            await clock.run { try? await clock.sleep(for: .seconds(3600)) }
            #expect(receiver.events.isEmpty, "nothing is looked at any more")
        }

        @Test @LoopActor func aLimitThatStaysIsNoNews() async throws {
            let (clock, receiver) = (SimulatedClock(), Receiver())
            let limit = Limit()
            try Folder.create(home.path("a"))
            // Using up the real limit would disturb all other tests, and other tests could free some instances in the meantime.
            let watcher = FolderWatcher(
                [WatchedRoot(home.path("a"), news: [.writes, .removals])], clock: clock, pace: .seconds(60), mounts: { Self.mounts([]) },
                open: { () throws(WatchTrouble) in
                    guard !limit.isReached else { throw .instances(limit: 128) }
                    return try Inotify()
                })
            var states: [WatchState] = []
            watcher.setListener { states.append($0) }
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            #expect(watcher.state.trouble != nil)
            await clock.run { try? await clock.sleep(for: .seconds(1900)) }
            #expect(watcher.state.trouble != nil && states.isEmpty)
            limit.isReached = false
            await clock.run { try? await clock.sleep(for: .seconds(600)) }
            #expect(watcher.state.trouble == nil && states.count == 1)
        }

        /// A mount table with network shares at these folders.
        private nonisolated static func mounts(_ folders: Set<String>) -> Mounts {
            Mounts(reading: folders.sorted().map { "36 35 0:42 / \($0) rw,relatime - nfs4 nas:/\($0) rw\n" }.joined())
        }

        /// A share inside a local root is not even opened at the start, because opening could take forever.
        @Test @LoopActor func shareWithinARootIsLookedAt() async throws {
            try Folder.create(home.path("a/near"))
            try Folder.create(home.path("a/near/share"))
            let (clock, share, opened) = (SimulatedClock(), home.path("a/near/share"), home.path("a/near/share/x"))
            try Folder.create(opened)
            let watcher = FolderWatcher(
                [WatchedRoot(home.path("a"), news: [.writes, .removals], lists: { _ in true })], clock: clock,
                mounts: { Self.mounts([share]) })
            let receiver = Receiver()
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            #expect(watcher.state == WatchState(folders: 2, missing: [], scanned: [share], trouble: nil))
            #expect(await watcher.takeListing(of: home.path("a")) == nil, "what is on the share would not be in it")
            await clock.run { try? await clock.sleep(for: .seconds(65)) }
            #expect(receiver.events.filter { $0 == .rescan(share) }.count == 1)
        }

        @Test @LoopActor func whereEverythingIsWatchedNothingIsLookedAt() async throws {
            let (clock, receiver) = (SimulatedClock(), Receiver())
            let watcher = try watcher(["a"], remote: [], clock: clock)
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            await clock.run { try? await clock.sleep(for: .seconds(3600)) }
            #expect(receiver.events.isEmpty)
            #expect(watcher.state.scanned.isEmpty)
        }
    }
}
