import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

extension FolderWatcherTests {
    /// Roots that are replaced by other folders, and folders that may not be read.
    @Suite(.onLoop, .serialized)
    struct OtherFolderTests {
        private let home = TemporaryFolder()
        private var root: String { home.path("par/deep/music") }

        @LoopActor
        private final class Receiver {
            private(set) var events: [FileEvent] = []
            func receive(_ event: FileEvent) { events.append(event) }
            func forget() { events = [] }
        }

        @LoopActor
        private func watcher(lists: (@Sendable (UnsafeRawBufferPointer) -> Bool)? = nil) -> FolderWatcher {
            FolderWatcher([WatchedRoot(root, news: [.writes, .removals], lists: lists)], clock: SystemClock(), spacing: .milliseconds(1))
        }

        private func put(_ path: String) throws { _ = try Descriptor.open(path, O_WRONLY | O_CREAT) }

        @Test @LoopActor func folderAboveARootMayBecomeAnother() async throws {
            try Folder.create(root)
            let (watcher, receiver) = (watcher(), Receiver())
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            #expect(watcher.state.folders == 1, "those above are not its own")
            rename(home.path("par"), home.path("par2"))
            try Folder.create(root)
            try await waitUntil { receiver.events.contains(.rescan(root)) }
            try await waitUntil { watcher.state.missing.isEmpty }
            try put(root + "/new")
            try await waitUntil { receiver.events.contains(.written(root + "/new")) }
            receiver.forget()
            try put(home.path("par2/deep/music/old"))
            try put(root + "/last")
            try await waitUntil { receiver.events.contains(.written(root + "/last")) }
            #expect(receiver.events == [.written(root + "/last")])
        }

        @Test(.enabled(if: mayMount, "mounting is the administrator's")) @LoopActor
        func eventsOfARootThatIsMountedOverAndFreedAgainAreReported() async throws {
            try Folder.create(root)
            let (watcher, receiver) = (watcher(), Receiver())
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            #expect(mount("none", root, "tmpfs", 0, nil) == 0)
            defer { umount2(root, Int32(MNT_DETACH)) }
            try await waitUntil { receiver.events.contains(.rescan(root)) }
            try put(root + "/inside")
            try await waitUntil { receiver.events.contains(.written(root + "/inside")) }
            receiver.forget()
            #expect(umount2(root, 0) == 0)
            try await waitUntil { receiver.events.contains(.rescan(root)) }
            try put(root + "/below")
            try await waitUntil { receiver.events.contains(.written(root + "/below")) }
            receiver.forget()
            #expect(mount("none", root, "tmpfs", 0, nil) == 0)
            try await waitUntil { receiver.events.contains(.rescan(root)) }
            try put(root + "/again")
            try await waitUntil { receiver.events.contains(.written(root + "/again")) }
        }

        private static let mayMount: Bool = {
            let place = TemporaryFolder()
            guard mount("none", place.path, "tmpfs", 0, nil) == 0 else { return false }
            return umount2(place.path, 0) == 0
        }()

        @Test(.enabled(if: geteuid() != 0, "root may read every folder"), arguments: [false, true]) @LoopActor
        func folderThatMayBeReadAgainIsWatched(isRoot: Bool) async throws {
            let closed = isRoot ? root : root + "/closed"
            try Folder.create(closed)
            chmod(closed, 0)
            defer { chmod(closed, 0o700) }
            let (watcher, receiver) = (watcher(), Receiver())
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            chmod(closed, 0o700)
            try await waitUntil { receiver.events.contains(.rescan(closed)) }
            try put(closed + "/new")
            try await waitUntil { receiver.events.contains(.written(closed + "/new")) }
        }

        @Test @LoopActor func strangeNameOfNoInterestIsNoNews() async throws {
            try Folder.create(root + "/a")
            let (watcher, receiver) = (watcher { $0.suffix(5).elementsEqual(".xopp".utf8) }, Receiver())
            try watcher.start { receiver.receive($0) }
            defer { watcher.stop() }
            func putStrange(_ name: String) throws {
                let file = open(
                    (root + "/a/\u{1}" + name).utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 }, O_CREAT | O_WRONLY, 0o600)
                #expect(file >= 0)
                close(file)
            }
            try putStrange(".pdf")
            try put(root + "/a/x")
            try await waitUntil { receiver.events.contains(.written(root + "/a/x")) }
            #expect(receiver.events == [.written(root + "/a/x")])
            try putStrange(".xopp")
            try await waitUntil { receiver.events.contains(.rescan(root + "/a")) }
        }
    }
}
