import BenchmarkCorpus
import Freshness
import Glibc
import Model
import PageCache
import Platform
import Synchronization

extension MeasuredCache {
    /// Trims copies of it to half the size, by our code and by the shell, in either order. The shell removes as many images as our trim
    /// would remove undisturbed; images that are looked up meanwhile count as just used, so ours removes a few more or fewer.
    func trim(in place: String, shellFirst: Bool) async throws {
        let entries = try await PageCache(readingFrom: folder).survey()
        // Half of the blocks, since a trim goes down to nine tenths of the limit.
        let limits = CacheLimits(bytes: ByteCount(entries.reduce(0) { $0 + $1.size.bytes } * 5 / 9), leastFree: ByteCount(0))
        let count = try Self.decide(entries, contents, limits, folder).removals.count
        let (ours, theirs) = (place + "/ours", place + "/theirs")
        for copy in [ours, theirs] { try await self.copy(to: copy) }
        var (our, shell) = (0.0, 0.0)
        for isShell in [shellFirst, !shellFirst] {
            if isShell {
                let oldest = "find '\(theirs)/pages' -type f -printf '%T@ %b %p\\n' | sort -n | head -n \(count)"
                shell = try await RunningProgram.shell("\(oldest) | cut -d' ' -f3- | xargs rm").wall
            } else {
                our = try await trim(ours, limits)
            }
            // Disk writes that one of them left pending must not count for the other.
            try await RunningProgram.shell("sync -f '\(place)'")
        }
        add("trim_half", "ratio", our / shell, beside: "/shell")
        add("trim_half_ms", "ms", our)
        add("trim_half_ms", "ms", shell, beside: "_shell")
        try await RunningProgram.shell("rm -rf '\(ours)' '\(theirs)'")
    }

    private nonisolated static func decide(
        _ entries: [CacheEntry], _ contents: CacheContents, _ limits: CacheLimits, _ folder: String
    ) throws(SystemError) -> TrimDecision {
        let past = PastImages(contents.library, rules: contents.rules, now: contents.now)
        let wanted = WantedSet(contents.library, rules: contents.rules, now: contents.now)
        return TrimDecision(
            entries: entries, wanted: wanted, past: past, limits: limits, disk: try DiskSpace.of(folder), now: contents.now)
    }

    /// Trims a copy while its images are looked up; returns how long all of it took.
    private func trim(_ folder: String, _ limits: CacheLimits) async throws -> Double {
        let cache = try PageCache(folder: folder)
        let side = SideThread()
        var generator = SampleGenerator(seed: 3)
        let probe = LookUpProbe(cache, contents.images.map(\.name).shuffled(using: &generator))
        let start = ProcessFigures.wallMilliseconds
        let entries = await cache.survey()
        let surveyed = ProcessFigures.wallMilliseconds
        let decision = try await side.run { [contents] () throws(SystemError) in try Self.decide(entries, contents, limits, folder) }
        let decided = ProcessFigures.wallMilliseconds
        let report = await cache.trim(decision.removals.map(\.entry.name))
        let trimmed = ProcessFigures.wallMilliseconds
        let waits = await probe.stop()
        guard report.failed.isEmpty, report.removed.count == decision.removals.count else {
            throw BenchmarkFailure("\(report.removed.count) images were removed instead of \(decision.removals.count)")
        }
        add("trim_half_survey_ms", "ms", surveyed - start)
        add("trim_half_decision_ms", "ms", decided - surveyed)
        add("trim_half_removal_ms", "ms", trimmed - decided)
        let (looks, uses) = (waits.looks.percentile(0.999), waits.uses.percentile(0.999))
        add("lookup_block_p999_ms", "ms", max(looks, uses))
        add("lookup_block_p999_loop_ms", "ms", looks)
        add("lookup_block_p999_thread_ms", "ms", uses)
        return trimmed - start
    }
}

/// Asks for images continually while something else goes on, and records how long each took: from a thread, like the web
/// server's, and on the loop, where waiting for a turn is part of the time.
private final class LookUpProbe: Sendable {
    private static let pauseMicroseconds: UInt32 = 250

    private let cache: PageCache
    private let names: [ImageName]
    private let isStopped = Atomic(false)
    /// How long each look-up took, in milliseconds.
    private let waits = Mutex((looks: [Double](), uses: [Double]()))
    private let side = SideThread()

    /// Begins to ask for `names`, one after the other.
    init(_ cache: PageCache, _ names: [ImageName]) {
        self.cache = cache
        self.names = names
        side.begin { [self] in work() }
    }

    /// Stops once every look-up that has begun is answered.
    @LoopActor
    func stop() async -> (looks: [Double], uses: [Double]) {
        isStopped.store(true, ordering: .relaxed)
        await side.run {}
        // The loop takes turns in order, so none of ours is left after this one.
        await spawn {}.value
        return waits.withLock { $0 }
    }

    private func work() {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            let name = names[number % names.count]
            number += 1
            let wanted = ProcessFigures.wallMilliseconds
            spawn { [self] in
                _ = cache.look(name)
                let wait = ProcessFigures.wallMilliseconds - wanted
                waits.withLock { $0.looks.append(wait) }
            }
            let start = ProcessFigures.wallMilliseconds
            _ = cache.use(name)
            let wait = ProcessFigures.wallMilliseconds - start
            waits.withLock { $0.uses.append(wait) }
            usleep(Self.pauseMicroseconds)
        }
    }
}
