import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// How the cache handles a watcher's notices of removed files.
@Suite(.onLoop)
struct RemovalNoticeTests {
    private let home = TemporaryFolder()
    private let name = Samples.name()
    private let sibling = Samples.name(page: 1)
    private let other = Samples.name("b")

    @LoopActor private func filled() throws -> (PageCache, ImageEvents) {
        let cache = try PageCache(folder: home.path("cache"))
        for name in [name, sibling, other] { try cache.store(name) }
        return (cache, ImageEvents(of: cache))
    }

    @Test @LoopActor func aFileThatSomebodyRemovedIsNewsOnce() throws {
        let (cache, events) = try filled()
        unlink(cache.path(of: name))
        #expect(cache.noteRemoved(path: cache.path(of: name)))
        #expect(!cache.noteRemoved(path: cache.path(of: name)))
        #expect(events.reports == [ImageEvents.Report(name: name, event: .vanished)])
        #expect(cache.present() == [sibling, other])
    }

    @Test @LoopActor func ourOwnRemovalsAndWhatIsThereAgainAreNoNews() async throws {
        let (cache, events) = try filled()
        try cache.remove(name)
        _ = await cache.trim([other])
        try cache.store(sibling)
        for name in [name, sibling, other] {
            #expect(!cache.noteRemoved(path: cache.path(of: name)))
            #expect(!cache.noteRemoved(path: Folder.parent(of: cache.path(of: name))))
        }
        #expect(!events.reports.contains { $0.event == .vanished })
    }

    @Test @LoopActor func filesThatAreNoImagesAreNoNews() throws {
        let (cache, events) = try filled()
        for path in ["pages/\(name.chart)/.tmp-1-1", "pages/\(name.chart)/notes.txt", "pages/notes", "CACHEDIR.TAG", "pages/a/b/c", ""] {
            #expect(!cache.noteRemoved(path: cache.folder + "/" + path))
        }
        #expect(!cache.noteRemoved(path: home.path("cach")))
        #expect(!cache.noteRemoved(path: "/somewhere/else"))
        #expect(events.reports.isEmpty)
    }

    @Test @LoopActor func aChartsFolderThatVanishedIsAllItsImages() throws {
        let (cache, events) = try filled()
        let folder = Folder.parent(of: cache.path(of: name))
        Shell.remove(folder)
        // One of the images is made again before the notice arrives.
        try cache.store(sibling)
        #expect(cache.noteRemoved(path: folder))
        #expect(cache.present() == [sibling, other])
        #expect(events[name] == [.vanished])
        #expect(events[sibling] == [.made])
        #expect(!cache.noteRemoved(path: folder))
    }

    @Test(arguments: ["/pages", ""]) @LoopActor func theWholeCacheMayVanish(level: String) throws {
        let (cache, events) = try filled()
        Shell.remove(cache.folder + level)
        #expect(cache.noteRemoved(path: cache.folder + level))
        #expect(cache.present().isEmpty)
        #expect(Set(events.reports) == Set([name, sibling, other].map { ImageEvents.Report(name: $0, event: .vanished) }))
        #expect(!cache.noteRemoved(path: cache.folder + level))
        #expect(try cache.store(name))
    }
}
