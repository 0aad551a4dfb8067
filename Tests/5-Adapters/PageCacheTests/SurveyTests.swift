import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct SurveyTests {
    private let home = TemporaryFolder()
    private let names = (0..<5).map { Samples.name("chart \($0 % 2)", page: $0) }

    @LoopActor private func sum(_ cache: PageCache) -> ByteCount {
        cache.present().reduce(ByteCount(0)) { $0 + (cache.size(of: $1) ?? ByteCount(0)) }
    }

    @Test @LoopActor func aSurveyReportsSizesAndUse() async throws {
        let cache = try PageCache(folder: home.path)
        #expect(cache.bytes == nil)
        for (place, name) in names.enumerated() {
            try cache.store(name, Samples.png(filler: 1 + 10_000 * place))
            Shell.setUse(cache.path(of: name), 1_700_000_000 + place)
        }
        let entries = await cache.survey()
        #expect(Set(entries.map(\.name)) == Set(names))
        #expect(entries.count == names.count)
        for entry in entries {
            #expect(entry.size == cache.size(of: entry.name))
            let place = try #require(names.firstIndex(of: entry.name))
            #expect(entry.usedAt == Timestamp(sinceEpoch: .seconds(1_700_000_000 + place)))
        }
        #expect(cache.bytes == sum(cache))
        #expect(cache.bytes.map { $0 >= ByteCount(100_000) } == true)
    }

    @Test @LoopActor func theSumIsKeptUp() async throws {
        let cache = try PageCache(folder: home.path)
        for name in names { try cache.store(name, Samples.png(filler: 9000)) }
        _ = await cache.survey()

        // One image gets another size, one is added, one is removed, and other processes change some.
        try cache.store(names[0], Samples.png(filler: 90_000))
        try cache.store(Samples.name("more"), Samples.png(filler: 50_000))
        try cache.remove(names[1])
        #expect(cache.bytes == sum(cache))
        unlink(cache.path(of: names[2]))
        #expect(cache.intactPath(of: names[2]) == nil)
        #expect(cache.bytes == sum(cache))
        unlink(cache.path(of: names[3]))
        try PageCache(folder: home.path).store(Samples.name("another's"), Samples.png(filler: 70_000))
        try cache.rescan()
        #expect(cache.present().contains(Samples.name("another's")))
        #expect(cache.bytes == sum(cache))
        _ = await cache.trim([names[4]])
        #expect(cache.bytes == sum(cache))
        _ = await cache.survey()
        #expect(cache.bytes == sum(cache))
    }

    @Test @LoopActor func aRescanAndASurveyReportWhatVanished() async throws {
        let cache = try PageCache(folder: home.path)
        for name in names { try cache.store(name) }
        let events = ImageEvents(of: cache)
        unlink(cache.path(of: names[0]))
        #expect(try cache.rescan() == [names[0]])
        #expect(try cache.rescan() == [])
        unlink(cache.path(of: names[1]))
        _ = await cache.survey()
        #expect(events[names[0]] == [.vanished])
        #expect(events[names[1]] == [.vanished])
        #expect(cache.present() == Set(names[2...]))
    }

    @Test @LoopActor func imagesMadeAndRemovedWhileASurveyRunsAreKnownAsTheyAre() async throws {
        let cache = try PageCache(folder: home.path)
        let old = (0..<200).map { Samples.name("old \($0 % 70)", page: $0) }
        for name in old { try cache.store(name) }
        let events = ImageEvents(of: cache)
        let survey = spawn { await cache.survey() }
        let work = spawn {
            var new: [ImageName] = []
            for place in 0..<100 {
                let name = Samples.name("new \(place)")
                _ = try? cache.store(name)
                new.append(name)
                try? cache.remove(old[place])
                await afterOthers()
            }
            return new
        }
        let new = await work.value
        let entries = await survey.value
        let expected = Set(old[100...] + new)
        #expect(cache.present() == expected)
        #expect(Set(entries.map(\.name)).isSubset(of: Set(old).union(new)))
        #expect(cache.bytes == sum(cache))
        #expect(!events.reports.contains { $0.event == .vanished })
        #expect(Set(await cache.survey().map(\.name)) == expected)
    }

    /// Lets other tasks of the loop run first.
    @LoopActor private func afterOthers() async {
        await spawn {}.value
    }

    /// A link is not used as a chart's folder: the images in its target belong to somebody else, and new images there would never be found.
    @Test @LoopActor func aChartsFolderThatIsALinkIsNotOurs() async throws {
        let elsewhere = try PageCache(folder: home.path("elsewhere"))
        try elsewhere.store(names[0])
        let cache = try PageCache(folder: home.path("cache"))
        symlink(home.path("elsewhere/pages/\(names[0].chart)"), home.path("cache/pages/\(names[0].chart)"))
        try cache.rescan()
        #expect(cache.present().isEmpty)
        #expect(cache.intactPath(of: names[0]) == nil)
        #expect(!cache.serves(names[0]))
        #expect(await cache.survey().isEmpty)

        #expect(try cache.store(names[0]))
        #expect(cache.intactPath(of: names[0]) != nil)
        try cache.rescan()
        #expect(cache.present() == [names[0]])
        #expect(elsewhere.intactPath(of: names[0]) != nil)
    }

    /// No file is opened for a listing. So empty files with an image's name are listed, but links are not.
    @Test @LoopActor func aListingReadsFoldersAlone() throws {
        var expected: Set<ImageName> = []
        for number in 0..<1000 {
            let name = Samples.name("chart \(number % 100)", page: number)
            let path = home.path("pages/" + name.description)
            try Folder.create(Folder.parent(of: path))
            if number % 3 == 0 {
                symlink("nowhere", path)
            } else {
                try Shell.write([], to: path)
                expected.insert(name)
            }
        }
        #expect(try PageCache(folder: home.path).present() == expected)
    }

    @Test func aCachesDiskIsKnownBeforeItIsMade() throws {
        let disk = try DiskSpace.of(home.path("not/yet"))
        #expect(disk.total > ByteCount(0))
        #expect(disk.free <= disk.total)
    }
}
