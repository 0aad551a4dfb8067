import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// An image can be made even if something else has its name.
@Suite(.onLoop)
struct ObstacleTests {
    private let home = TemporaryFolder()
    private let name = Samples.name()

    @Test(arguments: ["nothing", "cut off", "garbage", "folder", "full folder", "link", "pipe", "socket"])
    @LoopActor func anImageTakesThePlaceOfWhatStandsThere(kind: String) throws {
        let cache = try PageCache(folder: home.path)
        let path = cache.path(of: name)
        try Folder.create(Folder.parent(of: path))
        try Shell.spoil(path, kind)
        #expect(try cache.store(name))
        #expect(cache.intactPath(of: name) == path)
        #expect(try PageCache(readingFrom: home.path).present() == [name])
        #expect(Shell.exists("/etc/hostname"))
        // Files of the user are never deleted.
        let isKept = Shell.exists(path + ".aside-1/holiday.png")
        #expect(isKept == (kind == "full folder"))
    }

    @Test @LoopActor func whatWasMovedAsideIsKeptEachTime() throws {
        let cache = try PageCache(folder: home.path)
        let path = cache.path(of: name)
        for number in 1...3 {
            try cache.remove(name)
            try Folder.create(Folder.parent(of: path))
            try Shell.spoil(path, "full folder")
            #expect(try cache.store(name))
            #expect(Shell.exists("\(path).aside-\(number)/holiday.png"))
        }
    }

    @Test(arguments: ["nothing", "garbage", "link", "pipe", "socket"])
    @LoopActor func aChartsFolderTakesThePlaceOfWhatStandsThere(kind: String) throws {
        let cache = try PageCache(folder: home.path)
        let path = Folder.parent(of: cache.path(of: name))
        try Shell.spoil(path, kind)
        try cache.rescan()
        #expect(cache.intactPath(of: name) == nil)
        #expect(!cache.serves(name))
        #expect(try cache.store(name))
        #expect(cache.serves(name))
        #expect(Shell.exists(path + ".aside-1") == (kind != "link"))
        try cache.rescan()
        #expect(cache.present() == [name])
    }

    @Test(arguments: ["", "/pages"]) @LoopActor func aFileInPlaceOfTheCacheIsNamedAndOnceItIsGoneAllIsWell(level: String) throws {
        let cache = try PageCache(folder: home.path("cache"))
        try cache.store(name)
        Shell.remove(cache.folder + level)
        try Shell.write(Array("mine".utf8), to: cache.folder + level)
        #expect(cache.intactPath(of: name) == nil)
        #expect(!cache.serves(name))
        let error = #expect(throws: PageCacheError.self) { try cache.begin(name) }
        #expect(error?.description.contains(cache.folder + level) == true)
        #expect(throws: PageCacheError.self) { try cache.rescan() }
        #expect(try AtomicFile.read(cache.folder + level, limit: 10) == Array("mine".utf8))

        unlink(cache.folder + level)
        #expect(try cache.store(name))
        #expect(cache.serves(name))
    }

    @Test(.enabled(if: getuid() != 0, "root opens everything")) @LoopActor
    func aFolderThatCannotBeListedForNowIsNoLoss() async throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let events = ImageEvents(of: cache)
        let folder = Folder.parent(of: cache.path(of: name))
        chmod(folder, 0)
        #expect(try cache.rescan() == [])
        #expect(await cache.survey().isEmpty)
        #expect(cache.contains(name))
        chmod(folder, 0o700)
        #expect(cache.intactPath(of: name) != nil)
        #expect(events.reports.isEmpty)
    }
}
