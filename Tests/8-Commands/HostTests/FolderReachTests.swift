import CommandTestSupport
import Configuration
import Glibc
import Host
import Marks
import Synchronization
import TestSupport
import Testing

@testable import Platform

/// The agent detects that a network folder has stopped answering, and that the folder answers again.
@Suite(.onLoop)
struct FolderReachTests {
    /// A network folder that can be slow, and can be unmounted.
    private final class Server: Sendable {
        private let state = Mutex((delay: Duration.zero, isMounted: true))

        func answer(after delay: Duration) { state.withLock { $0.delay = delay } }
        func unmount() { state.withLock { $0.isMounted = false } }

        var mounts: Mounts {
            Mounts(reading: state.withLock(\.isMounted) ? "36 35 0:42 / /far rw - nfs4 nas:/ rw\n" : "36 35 8:1 / / rw - ext4 /dev/x rw\n")
        }

        func ask() {
            let start = timeNow()
            while timeNow() - start < state.withLock(\.delay) { usleep(1000) }
        }
    }

    @LoopActor private func scene() throws -> (Configuration, Server, Reach) {
        let session = Session()
        _ = try session.write("annotations:\n  folders: [/far/marks]\n", to: "user/.config/woodshed/woodshed.yaml")
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment))
        let server = Server()
        return (configuration, server, Reach(SystemClock(), mounts: { server.mounts }, ask: { _ in server.ask() }))
    }

    @Test @LoopActor func marksAreReadBesideTheChartsOfSetsAndNeverWrittenThere() throws {
        let session = Session()
        _ = try session.write("plans:\n  folders: [/far/Sets]\n", to: "user/.config/woodshed/woodshed.yaml")
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment))
        let marks = configuration.markSettings
        #expect(marks.roots.admits(path: "/far/Sets/2026-11-29/Grace.xopp") && marks.roots.isBesideCharts("/far/Sets/Grace.xopp"))
        #expect(marks.ownFolder == configuration.paths.data + "/annotations")
    }

    @LoopActor private final class News {
        var folders: [Set<String>] = []
        var areUnmounted = false
    }

    /// A slow folder that answers must not make the agent restart each time.
    @Test @LoopActor func aSlowFolderIsToldOnce() async throws {
        let (configuration, server, reach) = try scene()
        server.answer(after: .milliseconds(200))
        let first = await configuration.asking(reach, within: .milliseconds(20))
        #expect(first.silent == ["/far/marks"])
        let news = News()
        let watch = FolderReach(first, reach, clock: SystemClock(), log: Log { _, _ in }) { folders, _ in news.folders.append(folders) }
        try await waitUntil {
            watch.check()
            return !news.folders.isEmpty
        }
        watch.end()
        // The next agent starts with that answer, however slow the folder is.
        let second = await configuration.asking(reach, within: .milliseconds(20))
        #expect(news.folders == [["/far/marks"]] && second.silent == [])
    }

    @Test @LoopActor func whatIsUnmountedIsSilentNoMore() async throws {
        let (configuration, server, reach) = try scene()
        server.answer(after: .seconds(20))
        let silent = await configuration.asking(reach, within: .milliseconds(20))
        let news = News()
        let watch = FolderReach(silent, reach, clock: SystemClock(), log: Log { _, _ in }) {
            news.folders.append($0)
            news.areUnmounted = $1
        }
        server.unmount()
        watch.check()
        try await waitUntil { news.folders == [["/far/marks"]] }
        #expect(news.areUnmounted, "threads of the agent may wait in it all the same")
        watch.end()
        server.answer(after: .zero)
    }
}

/// The time, for threads other than the loop's.
private func timeNow() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
