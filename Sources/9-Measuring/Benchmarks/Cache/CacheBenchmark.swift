import BenchmarkCorpus
import Freshness
import Glibc
import Model
import PageCache
import Platform
import Synchronization

/// Measures the page cache with a thousand to a hundred thousand images, and compares a trim with one by the shell.
@LoopActor
enum CacheBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let runs = request.runs(quick: 1, usual: 3)
        var subjects = [try MeasuredCache(in: folder, entries: 1000, .fullSize)]
        for entries in request.isQuick ? [1000] : [1000, 10_000, 100_000] {
            subjects.append(try MeasuredCache(in: folder, entries: entries, .small))
        }
        try await RunningProgram.shell("sync -f '\(folder)'")
        // Looking up images updates their files' times, and all trims must find the same times. So trims are measured first.
        for run in 0..<runs {
            for subject in subjects {
                try await subject.open()
                try await subject.trim(in: folder, shellFirst: run % 2 == 1)
            }
        }
        // Measure all sizes in turn, so that other activity on the machine affects them alike.
        var generator = SampleGenerator(seed: 4)
        for subject in subjects { try subject.openAgain() }
        for _ in 0..<runs { for subject in subjects { try subject.lookUp(&generator) } }
        for _ in 0..<runs { for subject in subjects { try await subject.verify() } }
        return BenchmarkReport(subjects.reduce(into: Measurements()) { $0 += $1.measured })
    }
}

/// A cache under measurement, with its figures.
@LoopActor
final class MeasuredCache {
    private let folder: String
    private let contents: CacheContents
    private var cache: PageCache
    private(set) var measured = Measurements()
    /// The suffix of the names of this cache's figures.
    private let suffix: String

    /// Creates and fills a cache below `place`, with the same calls as rendering.
    init(in place: String, entries: Int, _ kind: SampleImages.Kind) throws {
        suffix = kind == .small ? "@\(entries)" : "@\(entries)_full_size"
        folder = place + "/" + suffix
        contents = CacheContents(entries: entries)
        cache = try PageCache(folder: folder)
        let samples = SampleImages(kind)
        var microseconds: [Double] = []
        for image in contents.images {
            let bytes = samples.image(of: image.name.page, image.name.variant, key: image.key)
            let start = ProcessFigures.wallMilliseconds
            let file = try cache.begin(image.name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: image.name)
            microseconds.append((ProcessFigures.wallMilliseconds - start) * 1000)
            let stamps = [timespec](repeating: timespec(tv_sec: image.usedAt, tv_nsec: 0), count: 2)
            try require(utimensat(AT_FDCWD, cache.path(of: image.name), stamps, 0) == 0, "\(image.name) cannot be stamped")
        }
        add("store_us", "us", microseconds.median)
    }

    private func add(_ name: String, _ unit: String, _ run: Double, beside peer: String = "") {
        measured.add(name + suffix + peer, unit, run)
    }

    func open() async throws {
        try await RunningProgram.shell(Self.visit(folder))
        measured += try await CacheOpener(folder: folder, entries: contents.images.count).measured().named(suffix)
    }

    /// A command that makes the system cache every file's metadata.
    private static func visit(_ folder: String) -> String { "find '\(folder)' -printf '%T@ %b' > /dev/null" }

    // MARK: - Looking up

    /// Reopens the cache, and uses each image once. The first use updates the file's time, and further uses within an hour do not.
    func openAgain() throws {
        cache = try PageCache(folder: folder)
        for image in contents.images { _ = cache.use(image.name) }
    }

    func verify() async throws {
        let start = ProcessFigures.wallMilliseconds
        let report = try await cache.verify()
        add("verify_s", "s", (ProcessFigures.wallMilliseconds - start) / 1000)
        try require(report.intact == contents.images.count, "\(report.bad.count) images are bad")
    }

    /// Looks up a thousand random images repeatedly, the same number of times for every cache size. The images are then equally
    /// likely to be in the processor's caches, and only the number of other images differs. Then looks up at most 20,000 random
    /// images once each.
    func lookUp(_ generator: inout SampleGenerator) throws {
        let names = contents.images.map(\.name)
        let (some, draws) = (names.shuffled(using: &generator).prefix(1000), 20_000)
        let drawn = (0..<draws / some.count).flatMap { _ in some.shuffled(using: &generator) }
        // Check on the loop whether an image exists and is intact.
        try time("lookup_us", drawn) { cache.intactPath(of: $0) != nil }
        // Open an image for display, which any thread may do.
        try time("use_us", drawn) {
            if case .some = cache.use($0) { true } else { false }
        }
        // Check whether an image is known to exist. A single check is too fast to time.
        try time("contains_us", drawn, atOnce: 500) { cache.contains($0) }
        let any = names.shuffled(using: &generator)
        try time("lookup_spread_us", Array(any.prefix(draws))) { cache.intactPath(of: $0) != nil }
        let others = any.dropFirst(draws)
        let paths = (others.count < draws ? any[...] : others).prefix(draws).map(cache.path)
        try time("lookup_spread_us", beside: "_system", paths, Self.read)
    }

    /// Adds the median time of one look-up.
    private func time<Name>(
        _ figure: String, beside peer: String = "", _ names: [Name], atOnce: Int = 1, _ find: @LoopActor (Name) -> Bool
    ) throws {
        var times: [Double] = []
        times.reserveCapacity(names.count / atOnce)
        for first in stride(from: 0, to: names.count, by: atOnce) {
            let some = names[first..<min(first + atOnce, names.count)]
            let start = ProcessFigures.wallMilliseconds
            var found = 0
            for name in some where find(name) { found += 1 }
            times.append((ProcessFigures.wallMilliseconds - start) * 1000 / Double(some.count))
            try require(found == some.count, "an image was not found: \(some)")
        }
        add(figure, "us", times.median, beside: peer)
    }

    /// The system's share of a look-up: open, fstat, two reads, close.
    private static func read(_ path: String) -> Bool {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
            pread(file, bytes.baseAddress, 16, 0) == 16 && pread(file, bytes.baseAddress, 12, status.st_size - 12) == 12
        }
    }

    // MARK: - Trims

    /// Trims copies of the cache to half the size, with our code and with the shell, in either order. The shell removes as many
    /// images as our trim would if undisturbed. Images looked up during our trim count as just used, so our trim removes a few more
    /// or fewer.
    func trim(in place: String, shellFirst: Bool) async throws {
        let entries = try await PageCache(readingFrom: folder).survey()
        // Half of the blocks remain, since a trim goes down to nine tenths of the limit.
        let limits = CacheLimits(bytes: ByteCount(entries.reduce(0) { $0 + $1.size.bytes } * 5 / 9), leastFree: ByteCount(0))
        let count = try Self.decide(entries, contents, limits, folder).removals.count
        let (ours, theirs) = (place + "/ours", place + "/theirs")
        for copy in [ours, theirs] {
            // Copy all files with their times. Afterwards, the system has cached their metadata.
            try await RunningProgram.shell("cp -a '\(folder)' '\(copy)' && sync -f '\(copy)' && \(Self.visit(copy))")
        }
        var (our, shell) = (0.0, 0.0)
        for isShell in [shellFirst, !shellFirst] {
            if isShell {
                let oldest = "find '\(theirs)/pages' -type f -printf '%T@ %b %p\\n' | sort -n | head -n \(count)"
                shell = try await RunningProgram.shell("\(oldest) | cut -d' ' -f3- | xargs rm").wall
            } else {
                our = try await trim(ours, limits)
            }
            // Pending disk writes of one trim must not count for the other.
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

    /// Trims a copy while its images are looked up. Returns how long the trim took.
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
        try require(
            report.failed.isEmpty && report.removed.count == decision.removals.count,
            "\(report.removed.count) images were removed instead of \(decision.removals.count)")
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

/// Opens and measures a cache in a separate process, so that the peak memory includes nothing else.
struct CacheOpener: MeasuredJob {
    let folder: String
    /// The number of images that must be found.
    let entries: Int

    func record() async throws -> Measurements {
        var measured = Measurements()
        let start = ProcessFigures.wallMilliseconds
        let cache = try PageCache(folder: folder)
        measured.add("open_s", "s", (ProcessFigures.wallMilliseconds - start) / 1000)
        measured.add("open_mib", "MiB", try ProcessFigures.peakMebibytes())
        let surveyStart = ProcessFigures.wallMilliseconds
        let found = await cache.survey().count
        measured.add("survey_s", "s", (ProcessFigures.wallMilliseconds - surveyStart) / 1000)
        measured.add("survey_mib", "MiB", try ProcessFigures.peakMebibytes())
        try require(found == entries, "\(found) images were found instead of \(entries)")
        return measured
    }
}

/// Looks up images continually while other work runs, and records how long each look-up took. Each image is looked up on a
/// separate thread, like the web server's, and on the loop, where the time includes waiting for a turn.
private final class LookUpProbe: Sendable {
    private let cache: PageCache
    private let names: [ImageName]
    private let isStopped = Atomic(false)
    /// The duration of each look-up, in milliseconds.
    private let waits = Mutex((looks: [Double](), uses: [Double]()))
    private let side = SideThread()

    /// Begins to look up `names` one after another.
    init(_ cache: PageCache, _ names: [ImageName]) {
        self.cache = cache
        self.names = names
        side.begin { [self] in work() }
    }

    /// Stops once every look-up that has begun is finished.
    @LoopActor
    func stop() async -> (looks: [Double], uses: [Double]) {
        isStopped.store(true, ordering: .relaxed)
        await side.run {}
        // The loop runs tasks in order, so all our look-ups have ended after this one.
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
                _ = cache.intactPath(of: name)
                let wait = ProcessFigures.wallMilliseconds - wanted
                waits.withLock { $0.looks.append(wait) }
            }
            let start = ProcessFigures.wallMilliseconds
            _ = cache.use(name)
            let wait = ProcessFigures.wallMilliseconds - start
            waits.withLock { $0.uses.append(wait) }
            usleep(250)
        }
    }
}
