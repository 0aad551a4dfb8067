import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct TrimTests {
    private let home = TemporaryFolder()

    @LoopActor @discardableResult private func fill(_ cache: PageCache, charts: Int = 40, pages: Int = 10) throws -> [ImageName] {
        let names = (0..<charts * pages).map { Samples.name("chart \($0 % charts)", page: $0 / charts) }
        for name in names { try cache.store(name) }
        return names
    }

    @Test @LoopActor func trimmingRemovesInOrderAndReportsWhatItFreed() async throws {
        let cache = try PageCache(folder: home.path)
        let names = try fill(cache)
        let gone = Array(names[..<300].shuffled())
        let sizes = gone.compactMap { cache.size(of: $0) }.reduce(ByteCount(0), +)
        let events = ImageEvents(of: cache)
        let report = await cache.trim(gone)
        #expect(report.removed == gone)
        #expect(report.freed == sizes)
        #expect(report.failed.isEmpty)
        #expect(events.reports == gone.map { ImageEvents.Report(name: $0, event: .trimmed) })
        #expect(cache.present() == Set(names[300...]))
        #expect(try PageCache(folder: home.path).present() == Set(names[300...]))
    }

    @Test @LoopActor func emptiedFoldersGoAndOthersStay() async throws {
        let cache = try PageCache(folder: home.path)
        let names = (0..<4).map { Samples.name("chart \($0)") }
        for name in names { try cache.store(name) }
        try Shell.write([], to: home.path("pages/\(names[1].chart)/notes.txt"))
        let running = try cache.begin(Samples.name("chart 2", page: 1))
        _ = await cache.trim(Array(names[..<3]))
        #expect(Set(try Folder.names(in: home.path("pages"))) == Set(names[1...].map(\.chart)))
        #expect(Shell.exists(home.path("pages/\(names[1].chart)/notes.txt")))
        #expect(Shell.exists(running.path))
        #expect(cache.intactPath(of: names[3]) != nil)
    }

    @Test @LoopActor func whatSomebodyElseRemovedFirstIsNeitherRemovedNorFailed() async throws {
        let cache = try PageCache(folder: home.path)
        let names = try fill(cache, charts: 2, pages: 2)
        let events = ImageEvents(of: cache)
        unlink(cache.path(of: names[0]))
        Shell.remove(home.path("pages/\(names[1].chart)"))
        let report = await cache.trim(names)
        #expect(Set(report.removed) == Set(names.filter { $0 != names[0] && $0.chart != names[1].chart }))
        #expect(report.failed.isEmpty)
        #expect(events[names[0]] == [.vanished])
        #expect(cache.present().isEmpty)
        // An image that never existed causes no event.
        _ = await cache.trim([Samples.name("never")])
        #expect(events[Samples.name("never")].isEmpty)
    }

    @Test @LoopActor func whatCannotBeRemovedIsReported() async throws {
        let cache = try PageCache(folder: home.path)
        let name = Samples.name()
        try Folder.create(cache.path(of: name))
        let report = await cache.trim([name])
        #expect(report.removed.isEmpty)
        #expect(report.failed.map(\.name) == [name])
        #expect(report.failed.first?.error.description.contains(cache.path(of: name)) == true)

        try fill(cache, charts: 1, pages: 1)
        let reader = try PageCache(readingFrom: home.path)
        #expect(await reader.trim(Array(reader.present())).failed.map(\.error.code) == [EROFS])
        #expect(try reader.rescan().isEmpty)
    }

    /// Images are looked up, made and replaced during a trim. At the end, the index must agree with the disk.
    @Test @LoopActor func aTrimHoldsNobodyUpAndLosesTrackOfNothing() async throws {
        let cache = try PageCache(folder: home.path)
        let names = try fill(cache)
        _ = await cache.survey()
        let events = ImageEvents(of: cache)
        let trim = spawn { await cache.trim(names) }
        let again = spawn { await cache.trim(names) }
        var looks = 0
        var turns = 0
        while cache.present().count > 50 || turns < 20, turns < 10_000 {
            turns += 1
            let name = names[turns * 7 % names.count]
            if cache.intactPath(of: name) != nil { looks += 1 }
            if turns % 5 == 0 { try cache.store(names[turns * 3 % names.count]) }
            _ = cache.noteRemoved(path: cache.path(of: name))
            await spawn {}.value
        }
        let reports = await [trim.value, again.value]
        #expect(reports.allSatisfy { $0.failed.isEmpty })
        #expect(reports[0].removed.count >= names.count - turns)
        let known = cache.present()
        #expect(try PageCache(readingFrom: home.path).present() == known)
        #expect(cache.bytes == known.reduce(ByteCount(0)) { $0 + (cache.size(of: $1) ?? ByteCount(0)) })
        #expect(!events.reports.contains { $0.event == .vanished })
        for name in names { #expect((events[name].last == .made) == known.contains(name)) }
        #expect(looks > 0)
    }

    @Test @LoopActor func clearingTakesWhatWasAskedFor() async throws {
        let cache = try PageCache(folder: home.path)
        let names = try fill(cache, charts: 3, pages: 3)
        let events = ImageEvents(of: cache)
        let chart = ChartHash(SHA256.digest(of: "chart 1"))
        let report = await cache.clear(charts: [chart])
        #expect(Set(report.removed) == Set(names.filter { $0.chart == names[1].chart }))
        #expect(report.removed.allSatisfy { events[$0] == [.cleared] })
        #expect(cache.present() == Set(names.filter { $0.chart != names[1].chart }))

        // Clearing also removes images that another process made in the meantime.
        try PageCache(folder: home.path).store(Samples.name("another's"))
        let rest = try await cache.clear()
        #expect(rest.removed.count == 7)
        #expect(try Folder.names(in: home.path("pages")).isEmpty)
        #expect(cache.present().isEmpty)
    }

    @Test @LoopActor func anImageNamedTwiceIsRemovedOnce() async throws {
        let cache = try PageCache(folder: home.path)
        let names = try fill(cache, charts: 30, pages: 10)
        let events = ImageEvents(of: cache)
        let report = await cache.trim(names + names)
        #expect(report.removed == names)
        #expect(names.allSatisfy { events[$0] == [.trimmed] })
    }
}
