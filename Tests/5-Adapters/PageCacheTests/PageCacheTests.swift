import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct PageCacheTests {
    private let home = TemporaryFolder()
    private let name = Samples.name()

    @Test @LoopActor func anEmptyCacheIsTaggedForBackupPrograms() throws {
        let cache = try PageCache(folder: home.path("cache/woodshed"))
        #expect(cache.present().isEmpty)
        let tag = try AtomicFile.read(cache.folder + "/CACHEDIR.TAG", limit: 1000)
        #expect(tag.starts(with: Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)))
        #expect(try Folder.names(in: cache.folder) == ["CACHEDIR.TAG", "pages"])
    }

    @Test @LoopActor func aPublishedImageIsThereAlsoAfterReopening() throws {
        let cache = try PageCache(folder: home.path)
        #expect(cache.intactPath(of: name) == nil)
        #expect(try cache.store(name))
        #expect(cache.contains(name))
        #expect(cache.intactPath(of: name) == home.path("pages/\(name.chart)/\(name.file)"))
        #expect(try AtomicFile.read(cache.path(of: name), limit: 1000) == Samples.png())

        let again = try PageCache(folder: home.path)
        #expect(again.present() == [name])
        #expect(again.intactPath(of: name) == cache.path(of: name))
    }

    @Test @LoopActor func anImageOnItsWayIsNotListedAndGoesWhenDropped() throws {
        let cache = try PageCache(folder: home.path)
        do {
            let file = try cache.begin(name)
            try Samples.png().withUnsafeBytes { try file.write($0) }
            try cache.rescan()
            #expect(cache.present().isEmpty)
            #expect(Folder.parent(of: file.path) == Folder.parent(of: cache.path(of: name)))
        }
        #expect(try Folder.names(in: home.path("pages/\(name.chart)")) == [])
    }

    @Test @LoopActor func abandonedImagesAreRemovedAndRunningOnesAreNot() throws {
        let cache = try PageCache(folder: home.path)
        let running = try cache.begin(name)
        let abandoned = home.path("pages/\(name.chart)/.tmp-1-1")
        try Shell.write(Samples.png(), to: abandoned)
        try cache.removeAbandoned()
        #expect(!Shell.exists(abandoned))
        #expect(Shell.exists(running.path))
    }

    /// Files cut off at every length, empty files, and files with one wrong end.
    @Test @LoopActor func whatIsNotWholeIsNotPublished() throws {
        let cache = try PageCache(folder: home.path)
        let whole = Samples.png()
        var wrongStart = whole
        wrongStart[0] = 0x88
        let cutOff = (0..<whole.count).map { Array(whole.prefix($0)) }
        for bytes in cutOff + [wrongStart, Array("<html>".utf8), whole + [0]] {
            #expect(throws: PageCacheError.notWhole(name)) { try cache.store(name, bytes) }
        }
        #expect(cache.present().isEmpty)
        #expect(try Folder.names(in: home.path("pages/\(name.chart)")) == [])
    }

    @Test(arguments: [0, 1, 57, 80, 150]) @LoopActor func aFileThatWasCutOffIsAMissAndRemoved(length: Int) throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let path = cache.path(of: name)
        try #require(length < Samples.png().count)
        truncate(path, length)
        #expect(cache.intactPath(of: name) == nil)
        #expect(!cache.contains(name))
        #expect(!Shell.exists(path))
        #expect(try cache.store(name))
        #expect(cache.intactPath(of: name) == path)
    }

    @Test @LoopActor func linksPipesAndFoldersUnderAnImagesNameAreMisses() throws {
        let cache = try PageCache(folder: home.path)
        let elsewhere = home.path("elsewhere.png")
        try Shell.write(Samples.png(), to: elsewhere)
        try Folder.create(home.path("pages/\(name.chart)"))
        let path = cache.path(of: name)

        symlink(elsewhere, path)
        #expect(cache.intactPath(of: name) == nil)
        #expect(!Shell.exists(path))
        #expect(Shell.exists(elsewhere))

        mkfifo(path, 0o600)
        #expect(cache.intactPath(of: name) == nil)
        #expect(!Shell.exists(path))

        mkdir(path, 0o700)
        #expect(cache.intactPath(of: name) == nil)
    }

    @Test(.enabled(if: getuid() != 0, "root opens everything")) @LoopActor
    func aFileThatCannotBeOpenedForNowIsAMissAndKept() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        chmod(cache.path(of: name), 0)
        #expect(cache.intactPath(of: name) == nil)
        chmod(cache.path(of: name), 0o600)
        #expect(cache.intactPath(of: name) == cache.path(of: name))
    }

    @Test @LoopActor func foreignFilesAreNeitherListedNorTouched() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let folder = home.path("pages/\(name.chart)")
        let foreign = [
            folder + "/notes.txt", folder + "/0-plain-short.png", folder + "/00-plain-\(name.key).png",
            folder + "/0-mirror-\(name.key).png",
            folder + "/.tmp-77-1", home.path("pages/loose.png"), home.path("holiday.png"),
        ]
        for path in foreign { try Shell.write(Samples.png(), to: path) }
        try Folder.create(home.path("pages/somebody's"))
        try Shell.write(Samples.png(), to: home.path("pages/somebody's/\(name.file)"))

        let again = try PageCache(folder: home.path)
        #expect(again.present() == [name])
        #expect(foreign.allSatisfy(Shell.exists))
    }

    // MARK: Anybody may delete

    @Test @LoopActor func aVanishedFileIsAMiss() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        unlink(cache.path(of: name))
        #expect(cache.contains(name))
        #expect(cache.intactPath(of: name) == nil)
        #expect(!cache.contains(name))
        #expect(cache.size(of: name) == nil)
        try cache.remove(name)
    }

    @Test(arguments: ["folder", "pages", "cache"]) @LoopActor func aVanishedFolderIsMadeAgain(level: String) throws {
        let root = home.path("cache")
        let cache = try PageCache(folder: root)
        try cache.store(name)
        Shell.remove(level == "folder" ? "\(root)/pages/\(name.chart)" : level == "pages" ? "\(root)/pages" : root)

        #expect(cache.intactPath(of: name) == nil)
        try cache.rescan()
        #expect(cache.present().isEmpty)
        #expect(try cache.store(name))
        #expect(cache.intactPath(of: name) == cache.path(of: name))
        #expect(Shell.exists(root + "/CACHEDIR.TAG"))
    }

    @Test(arguments: ["folder", "pages", "cache"]) @LoopActor func aFolderThatVanishesUnderAnImageOnItsWayIsAMiss(level: String) throws {
        let root = home.path("cache")
        let cache = try PageCache(folder: root)
        let file = try cache.begin(name)
        try Samples.png().withUnsafeBytes { try file.write($0) }
        Shell.remove(level == "folder" ? "\(root)/pages/\(name.chart)" : level == "pages" ? "\(root)/pages" : root)

        #expect(try cache.publish(file, as: name) == false)
        #expect(!cache.contains(name))
        #expect(try cache.store(name))
        #expect(cache.intactPath(of: name) != nil)
    }

    @Test @LoopActor func removingTakesOneImage() throws {
        let cache = try PageCache(folder: home.path)
        let other = Samples.name(page: 1)
        try cache.store(name)
        try cache.store(other)
        try cache.remove(name)
        #expect(!Shell.exists(cache.path(of: name)))
        #expect(cache.present() == [other])
        #expect(cache.intactPath(of: other) != nil)
    }

    @Test @LoopActor func aChartsFolderGoesWithItsLastImageUnlessOneIsOnItsWay() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let file = try cache.begin(Samples.name(page: 1))
        try cache.remove(name)
        #expect(Shell.exists(file.path))

        try Samples.png().withUnsafeBytes { try file.write($0) }
        #expect(try cache.publish(file, as: Samples.name(page: 1)))
        try cache.remove(Samples.name(page: 1))
        #expect(try Folder.names(in: home.path("pages")) == [])
    }

    @Test @LoopActor func sizesAreBlocksOnTheDisk() throws {
        let cache = try PageCache(folder: home.path)
        #expect(cache.size(of: name) == nil)
        try cache.store(name, Samples.png(filler: 100_000))
        var status = stat()
        #expect(stat(cache.path(of: name), &status) == 0)
        #expect(cache.size(of: name) == ByteCount(Int(status.st_blocks) * 512))
        #expect(cache.size(of: name).map { $0 >= ByteCount(100_000) } == true)
    }

    // MARK: Several instances

    @Test @LoopActor func twoInstancesShareOneFolder() throws {
        let one = try PageCache(folder: home.path)
        let two = try PageCache(folder: home.path)
        try one.store(name)
        #expect(!two.contains(name))
        #expect(two.intactPath(of: name) == one.path(of: name))
        #expect(two.contains(name))

        // Two instances may make the same image.
        #expect(try two.store(name))
        try two.remove(name)
        #expect(one.intactPath(of: name) == nil)
        try one.store(Samples.name("b"))
        try two.rescan()
        #expect(two.present() == [Samples.name("b")])
    }

    @Test @LoopActor func readingMakesAndRemovesNothing() throws {
        let nowhere = try PageCache(readingFrom: home.path("nowhere"))
        #expect(nowhere.present().isEmpty)
        #expect(nowhere.intactPath(of: name) == nil)
        #expect(!Shell.exists(home.path("nowhere")))

        // Images on a disk that is away are not gone.
        try Folder.create(home.path("away"))
        symlink("/nowhere/disk", home.path("away/pages"))
        let away = #expect(throws: PageCacheError.self) { try PageCache(readingFrom: home.path("away")) }
        #expect(away?.description.contains("it is a link to /nowhere/disk, which is away") == true)

        let cache = try PageCache(folder: home.path("cache"))
        try cache.store(name)
        let reader = try PageCache(readingFrom: cache.folder)
        #expect(reader.present() == [name])
        #expect(reader.intactPath(of: name) == cache.path(of: name))
        truncate(cache.path(of: name), 3)
        #expect(reader.intactPath(of: name) == nil)
        #expect(Shell.exists(cache.path(of: name)))

        let refused = PageCacheError.readOnly(path: cache.folder)
        #expect(throws: refused) { try reader.begin(name) }
        #expect(throws: refused) { try reader.remove(name) }
        #expect(throws: refused) { try reader.removeAbandoned() }
        #expect(throws: refused) { try reader.publish(cache.begin(name), as: name) }
    }

    // MARK: Errors

    @Test @LoopActor func aFolderThatCannotBeMadeIsNamed() throws {
        try Shell.write([], to: home.path("file"))
        let error = #expect(throws: PageCacheError.self) { try PageCache(folder: home.path("file/cache")) }
        #expect(error?.description.contains(home.path("file")) == true)
    }

    @Test func errorsNameARemedy() {
        let full = PageCacheError.system(SystemError("write", path: "/c/pages", code: ENOSPC))
        #expect(full.description.contains("free some space"))
        let refused = PageCacheError.system(SystemError("create folder", path: "/c/pages", code: EACCES))
        #expect(refused.description.contains("/c/pages") && refused.description.contains("permission to read and write"))
    }
}
