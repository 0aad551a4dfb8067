import Glibc
import PageCache
import Platform
import TestSupport
import Testing

/// Folders that are locked to keep systemd-tmpfiles from cleaning them.
@Suite(.onLoop)
struct FolderHoldsTests {
    private let folder = TemporaryFolder()

    private func make(_ names: String...) throws -> [String] {
        for name in names { try Folder.create(folder.path(name)) }
        return names.map { folder.path($0) }
    }

    /// Whether another process can lock the folder exclusively, as systemd-tmpfiles tries before it cleans.
    private func isFree(_ path: String) throws -> Bool {
        let file = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        return flock(file.number, LOCK_EX | LOCK_NB) == 0
    }

    @Test @LoopActor func everyCallReplacesWhatIsHeld() throws {
        let paths = try make("a", "b", "c")
        let holds = FolderHolds()
        holds.hold([paths[0], paths[1]])
        #expect(try paths.map(isFree) == [false, false, true])
        holds.hold([paths[1], paths[2], paths[2]])
        #expect(try paths.map(isFree) == [true, false, false])
        #expect(holds.paths == [paths[1], paths[2]])
        holds.hold([])
        #expect(try paths.map(isFree) == [true, true, true])
    }

    @Test @LoopActor func onlySoManyAreHeldTheFirstOnes() throws {
        let paths = try make("a", "b", "c", "d")
        let holds = FolderHolds(most: 2)
        holds.hold([folder.path("nowhere")] + paths)
        #expect(holds.paths == [paths[0], paths[1]])
        holds.hold(paths.reversed())
        #expect(try paths.map(isFree) == [true, true, false, false])
    }

    @Test @LoopActor func folderMadeAnewIsHeldAnew() throws {
        let paths = try make("a")
        let holds = FolderHolds()
        holds.hold(paths)
        // Anybody can still move or remove a held folder.
        #expect(rename(paths[0], folder.path("elsewhere")) == 0)
        _ = try make("a")
        #expect(try isFree(paths[0]))
        holds.hold(paths)
        #expect(try !isFree(paths[0]))
        #expect(try isFree(folder.path("elsewhere")))
    }

    @Test @LoopActor func whatIsNoFolderOrBeingCleanedIsLeftOut() throws {
        let paths = try make("a", "b")
        try AtomicFile.write("x", to: folder.path("file"))
        #expect(symlink(paths[0], folder.path("link")) == 0)
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let holds = FolderHolds()
        do {
            let cleaner = try Descriptor.open(paths[1], O_RDONLY | O_DIRECTORY)
            #expect(flock(cleaner.number, LOCK_EX | LOCK_NB) == 0)
            holds.hold([folder.path("file"), folder.path("link"), folder.path("pipe"), paths[1], paths[0]])
            #expect(holds.paths == [paths[0]])
        }
        holds.hold(paths)
        #expect(holds.paths == Set(paths))
    }

    // MARK: With systemd-tmpfiles itself

    private static let cleaner = "/usr/bin/systemd-tmpfiles"

    /// Makes images that were last shown as many days ago as `ages` says, and holds the folders `held`. Has systemd-tmpfiles clean by our
    /// sample configuration, and lists what remains.
    @LoopActor
    private func clean(_ ages: [String: Int], holding held: [String]) async throws -> [String] {
        let pages = folder.path("cache/woodshed/pages")
        for (image, days) in ages {
            let path = pages + "/" + image
            try Folder.create(Folder.parent(of: path))
            try Shell.write(Samples.png(), to: path)
            try Self.age(path, days: days)
        }
        // A folder's age counts from the last change of its entries.
        for chart in try Folder.names(in: pages) { try Self.age(pages + "/" + chart, days: 100) }
        let holds = FolderHolds()
        holds.hold(held.map { pages + "/" + $0 })
        let result = try await Program.run(
            Self.cleaner, ["--user", "--clean", Repository.path + "/sample-config/woodshed-tmpfiles.conf"],
            environment: ["XDG_CACHE_HOME=" + folder.path("cache"), "XDG_RUNTIME_DIR=" + folder.path])
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(result.messages.isEmpty)
        #expect(holds.paths.count == held.count)
        return try Folder.names(in: pages).flatMap { chart in
            let images = try Folder.names(in: pages + "/" + chart)
            return images.isEmpty ? [chart] : images.map { chart + "/" + $0 }
        }
    }

    private static func age(_ path: String, days: Int) throws {
        let seconds = time(nil) - days * 86400
        var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
        guard utimes(path, &times) == 0 else { throw SystemError("set the time of", path: path) }
    }

    @Test(.enabled(if: access(cleaner, X_OK) == 0))
    @LoopActor func sampleFileCleansByAgeAndPassesOverWhatIsHeld() async throws {
        let left = try await clean(["held/1": 100, "mixed/1": 100, "mixed/2": 10, "old/1": 100, "old/2": 61], holding: ["held"])
        #expect(left == ["held/1", "mixed/2"])
    }

    @Test(.enabled(if: access(cleaner, X_OK) == 0))
    @LoopActor func withoutAHoldTheSameFolderGoes() async throws {
        #expect(try await clean(["held/1": 100, "new/1": 59], holding: []) == ["new/1"])
    }
}
