import BenchmarkCorpus
import Freshness
import Model
import PageCache
import Platform

/// One trim to half the size, by our code and by the shell, on copies of the same tree.
struct TrimMeasurement: Sendable {
    var survey = 0.0
    var decision = 0.0
    var removal = 0.0
    var shell = 0.0
    /// The look-ups while our trim was running.
    var waits = LookUpProbe.Waits()

    /// The whole time of our trim, in milliseconds.
    var ours: Double { survey + decision + removal }

    /// Measures both, in either order. The shell removes as many images as our trim would remove undisturbed; images that are
    /// looked up meanwhile count as just used, so ours removes a few more or fewer.
    @LoopActor
    static func measure(
        _ template: CacheTree, _ contents: CacheContents, in folder: String, shellFirst: Bool
    ) async throws -> TrimMeasurement {
        let half = try await halfOf(template, contents)
        let ours = try await template.copy(to: folder + "/ours")
        let theirs = try await template.copy(to: folder + "/theirs")
        for tree in [ours, theirs] { try await tree.warm() }
        var measurement = TrimMeasurement()
        if shellFirst { measurement.shell = try await trimByShell(theirs, half.count) }
        // Disk writes that one of them left pending must not count for the other.
        _ = try await Shell.run("sync -f '\(folder)'")
        try await measurement.trim(ours, contents, half.limits)
        _ = try await Shell.run("sync -f '\(folder)'")
        if !shellFirst { measurement.shell = try await trimByShell(theirs, half.count) }
        for tree in [ours, theirs] { try await tree.remove() }
        return measurement
    }

    private static func trimByShell(_ tree: CacheTree, _ count: Int) async throws -> Double {
        try await Shell.run(
            "find '\(tree.pages)' -type f -printf '%T@ %b %p\\n' | sort -n | head -n \(count) | cut -d' ' -f3- | xargs rm")
    }

    /// The limits that remove half of the blocks, and how many images those are.
    @LoopActor
    private static func halfOf(_ tree: CacheTree, _ contents: CacheContents) async throws -> (limits: CacheLimits, count: Int) {
        let entries = try await PageCache(readingFrom: tree.folder).survey()
        let total = entries.reduce(0) { $0 + $1.size.bytes }
        // A trim goes down to nine tenths of the limit.
        let limits = CacheLimits(bytes: ByteCount(total * 5 / 9), leastFree: ByteCount(0))
        return (limits, try decide(entries, contents, limits, tree.folder).removals.count)
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
    private mutating func trim(_ tree: CacheTree, _ contents: CacheContents, _ limits: CacheLimits) async throws {
        let cache = try PageCache(folder: tree.folder)
        let side = SideThread()
        var generator = SampleGenerator(seed: 3)
        let probe = try LookUpProbe(cache, contents.images.map(\.name).shuffled(using: &generator))
        let start = ProcessFigures.wallMilliseconds
        let entries = await cache.survey()
        let surveyed = ProcessFigures.wallMilliseconds
        let decision = try await side.run { () throws(SystemError) in try Self.decide(entries, contents, limits, tree.folder) }
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
