import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// Somebody deletes files, folders or the whole cache while the cache is in use.
@Suite(.onLoop)
struct DeletionTests {
    /// How long the test deletes files: a short time by default, or the number in WOODSHED_TEST_DELETION_SECONDS.
    private static let seconds = Asked.number("DELETION_SECONDS", everyday: 2)

    private static let pictures = Picture.all(charts: 4, pages: 5)

    @Test(.needs(.realTime)) @LoopActor func whateverIsDeletedEveryAnswerIsRightAndImagesGoOnBeingMade() async throws {
        let home = TemporaryFolder()
        let place = home.path("cache")
        let cache = try PageCache(folder: place)
        let clock = SystemClock()
        let end = clock.now + .seconds(Self.seconds)
        // On a busy machine, this loop and the one in `delete` may exceed the time: each goes on until it has done its work at least once.
        let deleter = spawn { await Self.delete(place, until: end) }
        var random = SeededGenerator(seed: 6)
        var (made, hits, misses) = (0, 0, 0)
        while clock.now < end || made == 0 || hits == 0 || misses == 0 {
            guard let picture = Self.pictures.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<100, using: &random) {
            case 0: try cache.rescan()
            case 1:
                let report = await cache.trim(Self.pictures.prefix(7).map(\.name))
                #expect(report.failed == [])
            case 2: _ = await cache.survey()
            case 3: #expect(try await cache.verify().bad == [])
            case 4..<50:
                if try cache.store(picture.name, picture.bytes) { made += 1 }
            case 50..<75:
                guard let path = cache.intactPath(of: picture.name) else { continue }
                // The file may be deleted by now, but if it exists, it must be right.
                if let bytes = try? AtomicFile.read(path, limit: 1 << 20) { #expect(picture.isShown(by: bytes)) }
            default:
                switch cache.use(picture.name) {
                case .some(let image):
                    // An open file stays readable even when it is deleted.
                    #expect(picture.isShown(by: try image.file.readAll(limit: 1 << 20, path: place)))
                    hits += 1
                case .none: misses += 1
                }
            }
            await Task.yield()
        }
        let deleted = await deleter.value
        #expect(made > 0 && hits > 0 && misses > 0 && deleted > 0)

        for picture in Self.pictures where cache.intactPath(of: picture.name) == nil {
            #expect(try cache.store(picture.name, picture.bytes))
        }
        #expect(cache.present() == Set(Self.pictures.map(\.name)))
        let report = try await cache.verify()
        #expect(report.intact == Self.pictures.count)
        #expect(report.bad == [] && report.strangers == [])
    }

    /// Deletes one thing after another on a thread beside the loop, and returns how many.
    @LoopActor private static func delete(_ place: String, until end: Moment) async -> Int {
        let (side, clock) = (SideThread(), SystemClock())
        var random = SeededGenerator(seed: 7)
        var count = 0
        while clock.now < end || count == 0 {
            guard let name = pictures.randomElement(using: &random)?.name else { break }
            let path =
                switch Int.random(in: 0..<300, using: &random) {
                case 0: place
                case 1: place + "/pages"
                case 2..<12: "\(place)/pages/\(name.chart)"
                default: "\(place)/pages/\(name)"
                }
            let wasThere = await side.run {
                let wasThere = Shell.exists(path)
                Shell.remove(path)
                return wasThere
            }
            if wasThere { count += 1 }
        }
        return count
    }
}
