import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program with its cache on a disk that is too small for it.
@Suite(.onLoop, .needs(.otherPrograms))
struct CacheFullDiskTests {
    private static let reason: Comment = "this system does not let a plain user mount a small disk of his own"
    /// Only the disk limits the cache.
    private static func environment(fullSize: Int) -> [String] {
        [
            "WOODSHED_RENDER_FULL_SIZE=\(fullSize)", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "WOODSHED_RENDER_WORKERS=2",
            "WOODSHED_CACHE_LIMIT=1GB", "WOODSHED_CACHE_LEAST_FREE=0%",
        ]
    }

    @LoopActor
    private func run(_ home: AgentHome, _ disk: SmallDisk, fullSize: Int = 600) async throws -> Program.Result {
        try await disk.start("woodshed", ["sync", "--home", home.folder.path], environment: Self.environment(fullSize: fullSize)).result()
    }

    @LoopActor
    private func expectOnlyWholeImages(_ cache: CacheFiles) async throws {
        #expect(try await cache.faults() == [])
        #expect(try cache.temporaryFiles() == [])
    }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func imagesOfNoUseGoForNewOnesAtOnce() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        try Folder.create(home.folder.path("cache"))
        let disk = try await SmallDisk.mount(on: home.folder.path("cache"), "size=8m")
        defer { disk.unmount() }
        let cache = CacheFiles(folder: disk.path)
        let first = try await run(home, disk)
        #expect(first.exit == .code(0), "\(first.messages)")
        let before = try cache.images()
        #expect(before.count > 60)

        fill(disk.path)
        // The new images are a little smaller, so they fit where the former ones were.
        let second = try await run(home, disk, fullSize: 596)
        #expect(second.exit == .code(0), "\(second.messages)")
        #expect(!second.messages.contains("could not be rendered"), "\(second.messages)")
        try await expectOnlyWholeImages(cache)
        #expect(try cache.images().count >= before.count)
    }

    /// The disk has free bytes, but cannot hold another file, and reports this only when a write fails.
    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func whatFindsNoRoomIsToldAndMadeLater() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        try Folder.create(home.folder.path("cache"))
        let disk = try await SmallDisk.mount(on: home.folder.path("cache"), "size=64m,nr_inodes=40")
        defer { disk.unmount() }
        let cache = CacheFiles(folder: disk.path)
        let first = try await run(home, disk)
        #expect(first.exit == .code(3), "\(first.messages)")
        // On a slow machine, the agent has reached the second reason by now.
        let reasons = ["No space left on device", "the disk takes no more, though it reports"]
        #expect(reasons.contains(where: first.messages.contains), "\(first.messages)")
        try await expectOnlyWholeImages(cache)
        let made = try cache.images()
        #expect(made.count > 5)

        #expect(try await remount(disk, home, "nr_inodes=4000"))
        let second = try await run(home, disk)
        #expect(second.exit == .code(0), "\(second.messages)")
        try await expectOnlyWholeImages(cache)
        #expect(try cache.images().count > 60)
    }

    /// The disk has no free space, and no image may be removed to make some.
    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func fullDiskIsNotWrittenToAndTold() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        try Folder.create(home.folder.path("cache"))
        let disk = try await SmallDisk.mount(on: home.folder.path("cache"), "size=1m")
        defer { disk.unmount() }
        let cache = CacheFiles(folder: disk.path)
        fill(disk.path)
        let first = try await run(home, disk)
        #expect(first.exit == .code(3) || first.exit == .code(1), "\(first.messages)")
        #expect(first.messages.contains("the disk is short") || first.messages.contains("No space left"), "\(first.messages)")
        try await expectOnlyWholeImages(cache)
        #expect(unlink(disk.path + "/filler") == 0)
        let second = try await run(home, disk, fullSize: 64)
        #expect(second.exit == .code(0), "\(second.messages)")
        try await expectOnlyWholeImages(cache)
        #expect(try cache.images().count > 60)
    }

    /// Fills all free space.
    private func fill(_ folder: String) {
        let file = open(folder + "/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        for size in [65536, 4096] {
            let block = [UInt8](repeating: 0x78, count: size)
            while write(file, block, size) == size {}
        }
    }

    /// Changes the options of the mounted disk.
    @LoopActor
    private func remount(_ disk: SmallDisk, _ home: AgentHome, _ options: String) async throws -> Bool {
        let mount = try disk.start(
            program: "/bin/mount", ["-o", "remount,\(options)", home.folder.path("cache")], environment: [])
        return try await mount.result().exit == .code(0)
    }
}
