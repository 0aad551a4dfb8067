import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform

/// Measures the page cache with a thousand to a hundred thousand images, and a trim compared with the shell's.
@LoopActor
enum CacheBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let runs = request.runs(quick: 1, usual: 3)
        var subjects = [try MeasuredCache(in: folder, entries: 1000, .fullSize)]
        for entries in request.isQuick ? [1000] : [1000, 10_000, 100_000] {
            subjects.append(try MeasuredCache(in: folder, entries: entries, .small))
        }
        try await RunningProgram.shell("sync -f '\(folder)'")
        // Looking up images updates their files' times, and all trims must find the same times, so trims are measured first.
        for run in 0..<runs {
            for subject in subjects {
                try await subject.open()
                try await subject.trim(in: folder, shellFirst: run % 2 == 1)
            }
        }
        try await lookUp(in: subjects, runs: runs)
        return BenchmarkReport(figures: subjects.flatMap(\.measured.figures))
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
            for (subject, cache) in zip(subjects, caches) { try subject.lookUp(in: cache, &generator) }
        }
        for _ in 0..<runs {
            for (subject, cache) in zip(subjects, caches) {
                let start = ProcessFigures.wallMilliseconds
                let report = try await cache.verify()
                subject.add("verify_s", "s", (ProcessFigures.wallMilliseconds - start) / 1000)
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
    private(set) var measured = Measurements()
    /// What the names of its figures end with.
    private let suffix: String

    /// Fills a new one below `place`, in the same way as rendering does.
    init(in place: String, entries: Int, _ kind: SampleImages.Kind) throws {
        suffix = kind == .small ? "@\(entries)" : "@\(entries)_full_size"
        folder = place + "/" + suffix
        contents = CacheContents(entries: entries)
        let cache = try PageCache(folder: folder)
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
            guard utimensat(AT_FDCWD, cache.path(of: image.name), stamps, 0) == 0 else {
                throw SystemError("stamp", path: cache.path(of: image.name))
            }
        }
        add("store_us", "us", microseconds.median)
    }

    func add(_ name: String, _ unit: String, _ run: Double, beside peer: String = "") { measured.add(name + suffix + peer, unit, run) }

    func open() async throws {
        try await Self.warm(folder)
        measured += try await CacheOpener(folder: folder, entries: contents.images.count, suffix: suffix).measured()
    }

    /// Copies it with all file times; the system has the metadata of every file in memory when this returns.
    func copy(to folder: String) async throws {
        try await RunningProgram.shell("cp -a '\(self.folder)' '\(folder)' && sync -f '\(folder)'")
        try await Self.warm(folder)
    }

    private static func warm(_ folder: String) async throws {
        try await RunningProgram.shell("find '\(folder)' -printf '%T@ %b' > /dev/null")
    }
}

/// Opens a cache and measures that, with only the memory of its own process: the most that it had until then.
struct CacheOpener: MeasuredJob {
    let folder: String
    /// How many images must be found.
    let entries: Int
    let suffix: String

    func record() async throws -> Measurements {
        var measured = Measurements()
        let start = ProcessFigures.wallMilliseconds
        let cache = try PageCache(folder: folder)
        measured.add("open_s" + suffix, "s", (ProcessFigures.wallMilliseconds - start) / 1000)
        measured.add("open_mib" + suffix, "MiB", try ProcessFigures.peakMebibytes())
        let surveyStart = ProcessFigures.wallMilliseconds
        let found = await cache.survey().count
        measured.add("survey_s" + suffix, "s", (ProcessFigures.wallMilliseconds - surveyStart) / 1000)
        measured.add("survey_mib" + suffix, "MiB", try ProcessFigures.peakMebibytes())
        guard found == entries else { throw BenchmarkFailure("\(found) images were found instead of \(entries)") }
        return measured
    }
}
