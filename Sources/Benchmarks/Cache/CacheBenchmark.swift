import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform

/// Measures the page cache with a thousand to a hundred thousand images, and a trim compared with the shell's.
@LoopActor
enum CacheBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let most = request.number(.entries, quick: 1000, usual: 100_000)
        let runs = request.number(.runs, quick: 1, usual: 3)
        var subjects = [try MeasuredCache(in: folder, entries: 1000, .fullSize)]
        for entries in Set([1000, 10_000, 100_000].filter { $0 < most } + [most]).sorted() {
            subjects.append(try MeasuredCache(in: folder, entries: entries, .small))
        }
        try await RunningProgram.shell("sync -f '\(folder)'")
        // Looking up images updates their files' times, and all trims must find the same times, so trims are measured first.
        for run in 0..<runs {
            for subject in subjects {
                subject.opened.append(try await subject.open())
                subject.trims.append(try await TrimMeasurement.measure(subject, in: folder, shellFirst: run % 2 == 1))
            }
        }
        try await lookUp(in: subjects, runs: runs)
        return BenchmarkReport(figures: subjects.flatMap(\.figures))
    }

    /// Measures all sizes in turn, so that whatever else the machine does affects them alike.
    private static func lookUp(in subjects: [MeasuredCache], runs: Int) async throws {
        var generator = SampleGenerator(seed: 4)
        let caches = try subjects.map { try PageCache(folder: $0.folder) }
        for (subject, cache) in zip(subjects, caches) {
            // The first use of each image updates its file's time; further uses within an hour do not.
            for image in subject.contents.images { _ = cache.use(image.name) }
        }
        for _ in 0..<runs {
            for (subject, cache) in zip(subjects, caches) {
                subject.lookUps.append(try LookUpCosts(cache, subject.contents.images.map(\.name), &generator))
            }
        }
        for _ in 0..<runs {
            for (subject, cache) in zip(subjects, caches) {
                let start = ProcessFigures.wallMilliseconds
                let report = try await cache.verify()
                subject.verified.append(ProcessFigures.wallMilliseconds - start)
                guard report.intact == subject.contents.images.count else { throw BenchmarkFailure("\(report.bad.count) images are bad") }
            }
        }
    }
}

/// A cache that is measured, with its measurements.
@LoopActor
final class MeasuredCache {
    let folder: String
    let contents: CacheContents
    /// What the names of its figures end with.
    private let suffix: String
    /// Microseconds for each image.
    private var stored: [Double] = []
    var opened: [CacheOpener.Record] = []
    var trims: [TrimMeasurement] = []
    var lookUps: [LookUpCosts] = []
    /// Milliseconds.
    var verified: [Double] = []

    /// Fills a new one below `place`, in the same way as rendering does.
    init(in place: String, entries: Int, _ kind: SampleImages.Kind) throws {
        suffix = kind == .small ? "@\(entries)" : "@\(entries)_full_size"
        folder = place + "/" + suffix
        contents = CacheContents(entries: entries)
        let cache = try PageCache(folder: folder)
        let samples = SampleImages(kind)
        for image in contents.images {
            let bytes = samples.image(of: image.name.page, image.name.variant, key: image.key)
            let start = ProcessFigures.wallMilliseconds
            let file = try cache.begin(image.name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: image.name)
            stored.append((ProcessFigures.wallMilliseconds - start) * 1000)
            let stamps = [timespec](repeating: timespec(tv_sec: image.usedAt, tv_nsec: 0), count: 2)
            guard utimensat(AT_FDCWD, cache.path(of: image.name), stamps, 0) == 0 else {
                throw SystemError("stamp", path: cache.path(of: image.name))
            }
        }
    }

    func open() async throws -> CacheOpener.Record {
        try await Self.warm(folder)
        let record = try await CacheOpener(folder: folder).measured()
        guard record.entries == contents.images.count else { throw BenchmarkFailure("\(record.entries) images were found") }
        return record
    }

    /// Copies it with all file times; the system has the metadata of every file in memory when this returns.
    func copy(to folder: String) async throws {
        try await RunningProgram.shell("cp -a '\(self.folder)' '\(folder)' && sync -f '\(folder)'")
        try await Self.warm(folder)
    }

    private static func warm(_ folder: String) async throws {
        try await RunningProgram.shell("find '\(folder)' -printf '%T@ %b' > /dev/null")
    }

    var figures: [Figure] {
        func figure<Run>(_ name: String, _ unit: String, _ runs: [Run], beside peer: String = "", of value: (Run) -> Double) -> Figure {
            Figure(name + suffix + peer, unit: unit, runs: runs.map(value))
        }
        func longest(_ waits: [Double]) -> Double { waits.percentile(0.999) }
        return [
            figure("open_s", "s", opened, of: \.openSeconds),
            figure("open_mib", "MiB", opened, of: \.openMebibytes),
            figure("survey_s", "s", opened, of: \.surveySeconds),
            figure("survey_mib", "MiB", opened, of: \.surveyMebibytes),
            figure("store_us", "us", [stored.median], of: \.self),
            figure("lookup_us", "us", lookUps, of: \.look),
            figure("use_us", "us", lookUps, of: \.use),
            figure("contains_us", "us", lookUps, of: \.contains),
            figure("lookup_spread_us", "us", lookUps, of: \.spread),
            figure("lookup_spread_us", "us", lookUps, beside: "_system", of: \.spreadSystem),
            figure("trim_half", "ratio", trims, beside: "/shell") { $0.ours / $0.shell },
            figure("trim_half_ms", "ms", trims, of: \.ours),
            figure("trim_half_survey_ms", "ms", trims, of: \.survey),
            figure("trim_half_decision_ms", "ms", trims, of: \.decision),
            figure("trim_half_removal_ms", "ms", trims, of: \.removal),
            figure("trim_half_ms", "ms", trims, beside: "_shell", of: \.shell),
            figure("lookup_block_p999_ms", "ms", trims) { max(longest($0.waits.looks), longest($0.waits.uses)) },
            figure("lookup_block_p999_loop_ms", "ms", trims) { longest($0.waits.looks) },
            figure("lookup_block_p999_thread_ms", "ms", trims) { longest($0.waits.uses) },
            figure("verify_s", "s", verified) { $0 / 1000 },
        ]
    }
}

/// Opens a cache and measures that, with only the memory of its own process.
struct CacheOpener: MeasuredJob {
    struct Record: Codable {
        var entries = 0
        var openSeconds = 0.0
        /// The most memory that the whole process had until the cache was open.
        var openMebibytes = 0.0
        var surveySeconds = 0.0
        /// The same until it was surveyed.
        var surveyMebibytes = 0.0
    }

    let folder: String

    func record() async throws -> Record {
        var record = Record()
        let start = ProcessFigures.wallMilliseconds
        let cache = try PageCache(folder: folder)
        record.openSeconds = (ProcessFigures.wallMilliseconds - start) / 1000
        record.openMebibytes = try ProcessFigures.peakMebibytes()
        let surveyStart = ProcessFigures.wallMilliseconds
        record.entries = await cache.survey().count
        record.surveySeconds = (ProcessFigures.wallMilliseconds - surveyStart) / 1000
        record.surveyMebibytes = try ProcessFigures.peakMebibytes()
        return record
    }
}
