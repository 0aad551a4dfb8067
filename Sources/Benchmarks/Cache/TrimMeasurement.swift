import BenchmarkCorpus
import Freshness
import Model
import PageCache
import Platform

/// One trim to half the size, by our code and by the shell, on copies of the same tree; in milliseconds.
struct TrimMeasurement: Sendable {
    private(set) var survey = 0.0
    private(set) var decision = 0.0
    private(set) var removal = 0.0
    private(set) var shell = 0.0
    /// The look-ups while our trim was running.
    private(set) var waits = LookUpProbe.Waits()

    /// The whole time of our trim.
    var ours: Double { survey + decision + removal }

    /// Measures both, in either order. The shell removes as many images as our trim would remove undisturbed; images that are
    /// looked up meanwhile count as just used, so ours removes a few more or fewer.
    @LoopActor
    static func measure(_ template: MeasuredCache, in folder: String, shellFirst: Bool) async throws -> TrimMeasurement {
        let entries = try await PageCache(readingFrom: template.folder).survey()
        // Half of the blocks, since a trim goes down to nine tenths of the limit.
        let limits = CacheLimits(bytes: ByteCount(entries.reduce(0) { $0 + $1.size.bytes } * 5 / 9), leastFree: ByteCount(0))
        let count = try decide(entries, template.contents, limits, template.folder).removals.count
        let (ours, theirs) = (folder + "/ours", folder + "/theirs")
        for copy in [ours, theirs] { try await template.copy(to: copy) }
        var measurement = TrimMeasurement()
        for isShell in [shellFirst, !shellFirst] {
            if isShell {
                let oldest = "find '\(theirs)/pages' -type f -printf '%T@ %b %p\\n' | sort -n | head -n \(count)"
                measurement.shell = try await RunningProgram.shell("\(oldest) | cut -d' ' -f3- | xargs rm").wall
            } else {
                try await measurement.trim(ours, template.contents, limits)
            }
            // Disk writes that one of them left pending must not count for the other.
            try await RunningProgram.shell("sync -f '\(folder)'")
        }
        try await RunningProgram.shell("rm -rf '\(ours)' '\(theirs)'")
        return measurement
    }

    private static func decide(
        _ entries: [CacheEntry], _ contents: CacheContents, _ limits: CacheLimits, _ folder: String
    ) throws(SystemError) -> TrimDecision {
        let past = PastImages(contents.library, rules: contents.rules, now: contents.now)
        let wanted = WantedSet(contents.library, rules: contents.rules, now: contents.now)
        return TrimDecision(
            entries: entries, wanted: wanted, past: past, limits: limits, disk: try DiskSpace.of(folder), now: contents.now)
    }

    @LoopActor
    private mutating func trim(_ folder: String, _ contents: CacheContents, _ limits: CacheLimits) async throws {
        let cache = try PageCache(folder: folder)
        let side = SideThread()
        var generator = SampleGenerator(seed: 3)
        let probe = LookUpProbe(cache, contents.images.map(\.name).shuffled(using: &generator))
        let start = ProcessFigures.wallMilliseconds
        let entries = await cache.survey()
        let surveyed = ProcessFigures.wallMilliseconds
        let decision = try await side.run { () throws(SystemError) in try Self.decide(entries, contents, limits, folder) }
        let decided = ProcessFigures.wallMilliseconds
        let report = await cache.trim(decision.removals.map(\.entry.name))
        let trimmed = ProcessFigures.wallMilliseconds
        waits = await probe.stop()
        guard report.failed.isEmpty, report.removed.count == decision.removals.count else {
            throw BenchmarkFailure("\(report.removed.count) images were removed instead of \(decision.removals.count)")
        }
        (survey, self.decision, removal) = (surveyed - start, decided - surveyed, trimmed - decided)
    }
}
