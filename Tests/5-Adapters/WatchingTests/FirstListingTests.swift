import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

extension FolderWatcherTests {
    /// The listing of files that is made while their folders are added to the watch.
    @Suite(.onLoop, .serialized)
    struct FirstListingTests {
        private let home = TemporaryFolder()
        private var music: String { home.path("music") }

        private static func isFile(_ name: UnsafeRawBufferPointer) -> Bool { name.suffix(5).elementsEqual(".xopp".utf8) }

        @Sendable
        private static func isPassedOver(_ name: UnsafeRawBufferPointer, isLink: Bool) -> Bool { isLink && name.last == UInt8(ascii: "-") }

        private func root(_ path: String? = nil) -> WatchedRoot {
            WatchedRoot(
                path ?? music, news: [.writes, .removals], admits: { !$0.split(separator: "/").contains { $0.hasPrefix(".") } },
                lists: Self.isFile, passesOver: Self.isPassedOver)
        }

        private func look(_ path: String? = nil) -> FileListing {
            FileListing(below: path ?? music, folder: { !$0.hasPrefix(".") }, file: Self.isFile, other: Self.isPassedOver)
        }

        private func fill(seed: UInt64, folders: Int) throws {
            var random = SeededGenerator(seed: seed)
            var paths = [music]
            try Folder.create(music)
            for _ in 0..<folders {
                let parent = paths.randomElement(using: &random)!
                let name = ["a", "a-", "b", "é", "e\u{301}", ".x", "z.xopp"].randomElement(using: &random)!
                try Folder.create(parent + "/" + name)
                paths.append(parent + "/" + name)
                for _ in 0..<Int.random(in: 0..<4, using: &random) {
                    let name = ["a", "a-", "a0", "é", "f", "g"].randomElement(using: &random)!
                    guard access("\(parent)/\(name).xopp", F_OK) != 0 else { continue }
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: mkfifo("\(parent)/\(name).xopp", 0o600)
                    case 1: symlink("/", "\(parent)/\(name).xopp")
                    case 2: symlink("/", "\(parent)/\(name)-")
                    default: try AtomicFile.write("\(random.next())", to: "\(parent)/\(name).xopp")
                    }
                }
            }
        }

        @Test(arguments: [0, 1, 3, 40, 150]) @LoopActor func itIsWhatALookFinds(folders: Int) async throws {
            for seed in 0..<3 as Range<UInt64> {
                try fill(seed: seed, folders: folders)
                let watcher = FolderWatcher([root()], clock: SystemClock())
                try watcher.start { _ in }
                defer { watcher.stop() }
                let listing = try #require(await watcher.takeListing(of: music))
                #expect(listing == look())
                #expect(folders < 40 || listing.files.count > folders / 10 && !listing.passedOver.isEmpty)
                #expect(await watcher.takeListing(of: music) == nil, "once only")
            }
        }

        @Test @LoopActor func rootBehindALinkIsListed() async throws {
            try fill(seed: 7, folders: 5)
            symlink(music, home.path("link"))
            let watcher = FolderWatcher([root(home.path("link"))], clock: SystemClock())
            try watcher.start { _ in }
            defer { watcher.stop() }
            #expect(await watcher.takeListing(of: home.path("link")) == look(home.path("link")))
        }

        @Test @LoopActor func folderThatMayNotBeReadIsNotKnownToBeEmpty() async throws {
            try fill(seed: 1, folders: 20)
            try Folder.create(music + "/closed")
            chmod(music + "/closed", 0)
            defer { chmod(music + "/closed", 0o700) }
            let watcher = FolderWatcher([root()], clock: SystemClock())
            try watcher.start { _ in }
            defer { watcher.stop() }
            let listing = try #require(await watcher.takeListing(of: music))
            #expect(listing == look())
            #expect(listing.unread == (geteuid() == 0 ? [] : [music + "/closed"]))
        }

        @Test @LoopActor func rootThatIsNotThereHasNone() async throws {
            let watcher = FolderWatcher([root()], clock: SystemClock())
            try watcher.start { _ in }
            defer { watcher.stop() }
            #expect(await watcher.takeListing(of: music) == nil)
        }

        /// After an event that requests a scan, the scan must not get a listing from before the event.
        @Test @LoopActor func newFolderMakesItOld() async throws {
            try fill(seed: 2, folders: 5)
            let watcher = FolderWatcher([root()], clock: SystemClock())
            var isReported = false
            try watcher.start { if case .rescan = $0 { isReported = true } }
            defer { watcher.stop() }
            try Folder.create(music + "/new")
            try await waitUntil { isReported }
            #expect(await watcher.takeListing(of: music) == nil)
        }

        @Test @LoopActor func atALimitThereIsNone() async throws {
            try fill(seed: 3, folders: 5)
            let watcher = FolderWatcher([root()], clock: SystemClock())
            try watcher.start { _ in }
            defer { watcher.stop() }
            watcher.giveUp(.watches(limit: 1))
            #expect(await watcher.takeListing(of: music) == nil)
        }

        /// A file that is created but never written is reported if its name belongs to a watched kind of file.
        @Test @LoopActor func whatIsNeverClosedIsReported() async throws {
            try Folder.create(music)
            try AtomicFile.write("1", to: music + "/a.xopp")
            let watcher = FolderWatcher([root()], clock: SystemClock())
            var events: [FileEvent] = []
            try watcher.start { events.append($0) }
            defer { watcher.stop() }
            mkfifo(music + "/pipe.xopp", 0o600)
            mkfifo(music + "/pipe", 0o600)
            symlink("a.xopp", music + "/link.xopp")
            symlink("a.xopp", music + "/link.pdf")
            symlink("/nowhere", music + "/link-")
            try Folder.create(music + "/folder-")
            link(music + "/a.xopp", music + "/b.xopp")
            _ = try Descriptor.open(music + "/last.xopp", O_WRONLY | O_CREAT)
            try await waitUntil { events.last == .written(music + "/last.xopp") }
            var expected: [FileEvent] = ["pipe.xopp", "link.xopp", "link-", "b.xopp"].map { .written(music + "/" + $0) }
            expected.insert(.rescan(music + "/folder-"), at: 3)
            #expect(events.dropLast() == expected[...])
        }
    }
}
