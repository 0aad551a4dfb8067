import Freshness
import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// A process that is killed while it writes to a cache and trims it.
@Suite(.onLoop, .needs(.kill))
struct KillTests {
    /// How often the process is killed: a few times by default, or as often as WOODSHED_TEST_KILLS sets.
    private static let kills = Asked.number("KILLS", everyday: 6)

    private static let pictures = Picture.all(charts: 5, pages: 12)
    /// The cache holds a third of all pictures, so it must be trimmed.
    private static let limits = CacheLimits(bytes: ByteCount(60 * 4096), leastFree: ByteCount(0))

    @Test @LoopActor func killedAtAnyMomentItLeavesWholeImagesAndTheNextOneHoldsTheLimits() async throws {
        let home = TemporaryFolder()
        let place = home.path("cache")
        var random = SeededGenerator(seed: 5)
        var found = 0
        for _ in 0..<Self.kills {
            let microseconds = Int.random(in: 2_000..<60_000, using: &random)
            let seed = random.next()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [place = place as String, microseconds = microseconds as Int, seed = seed as UInt64] in
                KillTests.killSelf(afterMicroseconds: microseconds)
                _ = Loop.shared.run {
                    do { try await KillTests.work(place, seed) } catch { fatalError("\(error)") }
                }
            }
            for picture in Self.pictures {
                guard let bytes = try? AtomicFile.read("\(place)/pages/\(picture.name)", limit: 1 << 20) else { continue }
                #expect(picture.isShown(by: bytes), "\(picture.name)")
                found += 1
            }
            let cache = try PageCache(folder: place)
            try cache.removeAbandoned()
            try await Self.trim(cache)
            #expect(try #require(cache.bytes) <= Self.limits.bytes)
            #expect(await Set(cache.survey().map(\.name)) == cache.present())
            let report = try await cache.verify()
            #expect(report.intact == cache.present().count)
            #expect(report.bad == [] && report.strangers == [])
            #expect(try Self.temporaryFiles(below: place) == [])
        }
        // At least one of the killed processes had time for some work.
        #expect(found > 0)
    }

    /// Has the kernel kill this process after `microseconds`, with a signal that cannot be blocked.
    private static func killSelf(afterMicroseconds microseconds: Int) {
        var event = sigevent()
        event.sigev_notify = Int32(SIGEV_SIGNAL)
        event.sigev_signo = SIGKILL
        var timer: timer_t?
        guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 else { fatalError("no timer to be had") }
        var time = itimerspec(it_interval: timespec(), it_value: timespec(tv_sec: 0, tv_nsec: microseconds * 1000))
        // The first timer has the id 0, which Swift shows as `nil`.
        timer_settime(timer, 0, &time, nil)
    }

    /// Stores and trims images forever.
    @LoopActor private static func work(_ place: String, _ seed: UInt64) async throws -> Never {
        var random = SeededGenerator(seed: seed)
        let cache = try PageCache(folder: place)
        try cache.removeAbandoned()
        while true {
            for picture in pictures.shuffled(using: &random).prefix(.random(in: 1...60, using: &random)) {
                let file = try cache.begin(picture.name)
                let bytes = picture.bytes
                let middle = Int.random(in: 0...bytes.count, using: &random)
                for part in [bytes[..<middle], bytes[middle...]] { try part.withUnsafeBytes { try file.write($0) } }
                try cache.publish(file, as: picture.name)
            }
            try await trim(cache)
        }
    }

    @LoopActor private static func trim(_ cache: PageCache) async throws {
        let renderer = RendererIdentity(tag: RendererTag("test"), fonts: FontSet(SHA256.digest(of: "fonts")))
        let rules = WantedSet.Rules(settings: RenderSettings(), renderer: renderer, ahead: .zero)
        let (library, now) = (LibrarySnapshot(plans: []), SystemClock().timestamp)
        let decision = TrimDecision(
            entries: await cache.survey(), wanted: WantedSet(library, rules: rules, now: now),
            past: PastImages(library, rules: rules, now: now), limits: limits, disk: try DiskSpace.of(cache.folder), now: now)
        let report = await cache.trim(decision.removals.map(\.entry.name))
        guard report.failed.isEmpty else { throw report.failed[0].error }
    }

    private static func temporaryFiles(below folder: String) throws -> [String] {
        let charts = try Folder.names(in: folder + "/pages").map { folder + "/pages/" + $0 }
        return try ([folder, folder + "/pages"] + charts).flatMap { try Folder.names(in: $0) }
            .filter { $0.hasPrefix(AtomicFile.temporaryPrefix) }
    }
}
