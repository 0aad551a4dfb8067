import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct UseTests {
    private let home = TemporaryFolder()
    private let name = Samples.name()

    @Test @LoopActor func aUsedImageIsOpenWithItsLength() throws {
        let cache = try PageCache(folder: home.path)
        #expect(!cache.serves(name))
        try cache.store(name)
        guard let image = cache.use(name) else {
            Issue.record("it is there")
            return
        }
        #expect(image.length == Samples.png().count)
        // The open image stays readable when the file is removed.
        try cache.remove(name)
        #expect(try image.file.readAll(limit: 1000) == Samples.png())
    }

    /// Each case has the age in seconds of the last noted use, and whether the next use is noted again.
    @Test(arguments: [(10, false), (3000, false), (3700, true), (90_000, true), (-5000, true), (-1_000_000_000, true)])
    @LoopActor func useIsNotedAtMostOnceAnHour(age: Int, isNoted: Bool) throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let path = cache.path(of: name)
        let before = Shell.now()
        Shell.setUse(path, before - age)
        #expect(cache.serves(name))
        let noted = Shell.use(path)
        #expect(isNoted ? (before - 1...Shell.now()).contains(noted) : noted == before - age)
        #expect(cache.serves(name))
        #expect(Shell.use(path) == noted)
    }

    @Test @LoopActor func lookingIsNoUse() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        Shell.setUse(cache.path(of: name), 1_600_000_000)
        #expect(cache.intactPath(of: name) != nil)
        #expect(cache.intact([name]) == [name])
        #expect(Shell.use(cache.path(of: name)) == 1_600_000_000)
    }

    /// A program that only reads a cache also shows images, so it must note their use.
    @Test @LoopActor func useIsNotedInACacheThatIsOnlyRead() throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        Shell.setUse(cache.path(of: name), 1_600_000_000)
        #expect(try PageCache(readingFrom: home.path).serves(name))
        #expect(Shell.use(cache.path(of: name)) > 1_600_000_000)
    }

    @Test(arguments: ["nothing", "cut off", "garbage", "folder", "link", "pipe", "socket"])
    @LoopActor func whatIsNoImageIsAMissForUseAndGoneAfterALook(kind: String) throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let events = ImageEvents(of: cache)
        try Shell.spoil(cache.path(of: name), kind)
        #expect(!cache.serves(name))
        #expect(cache.intactPath(of: name) == nil)
        #expect(events[name] == [.corrupt])
        #expect(!Shell.exists(cache.path(of: name)))
        #expect(!cache.contains(name))
        #expect(try cache.store(name))
        #expect(cache.serves(name))
        #expect(events[name] == [.corrupt, .made])
    }

    @Test @LoopActor func useMayBeAskedFromAnyThread() async throws {
        let cache = try PageCache(folder: home.path)
        try cache.store(name)
        let name = name
        let served = await SideThread().run { (0..<1000).map { _ in cache.serves(name) } }
        #expect(served.allSatisfy { $0 })
    }
}
