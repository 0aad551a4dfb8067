import BenchmarkCorpus
import Model
import PageCache
import Platform

/// Measures the page cache with a thousand to a hundred thousand images, and a trim compared with the shell's.
enum CacheBenchmark {
    private static let runs = 3
    private static let entries = 100_000

    /// A cache that is measured, with its measurements.
    private final class Subject {
        let suffix: String
        let contents: CacheContents
        let tree: CacheTree
        var store = 0.0
        var opened: [CacheOpener.Record] = []
        var trims: [TrimMeasurement] = []
        var lookUps: [LookUpCosts] = []
        /// Milliseconds.
        var verified: [Double] = []

        init(suffix: String, contents: CacheContents, tree: CacheTree) {
            self.suffix = suffix
            self.contents = contents
            self.tree = tree
        }
    }

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let cases = CacheCase.all(upTo: request.entries ?? (request.isQuick ? 1000 : entries))
        let figures = try onLoop { try await Self.figures(cases, runs: request.runs ?? (request.isQuick ? 1 : runs), in: scratch.path) }
        return BenchmarkReport("cache", figures: figures, notes: notes)
    }

    @LoopActor
    private static func figures(_ cases: [CacheCase], runs: Int, in folder: String) async throws -> [Figure] {
        var subjects: [Subject] = []
        for item in cases {
            let subject = Subject(
                suffix: item.suffix, contents: CacheContents(entries: item.entries), tree: CacheTree(folder: folder + "/" + item.suffix))
            subject.store = try subject.tree.fill(subject.contents, item.images)
            subjects.append(subject)
        }
        _ = try await Shell.run("sync -f '\(folder)'")
        // Looking up images updates their files' times, and all trims must find the same times, so trims are measured first.
        for run in 0..<runs {
            for subject in subjects {
                subject.opened.append(try await open(subject))
                subject.trims.append(
                    try await TrimMeasurement.measure(subject.tree, subject.contents, in: folder, shellFirst: run % 2 == 1))
            }
        }
        try await lookUp(in: subjects, runs: runs)
        return subjects.flatMap { Self.figures($0) }
    }

    @LoopActor
    private static func open(_ subject: Subject) async throws -> CacheOpener.Record {
        try await subject.tree.warm()
        let record: CacheOpener.Record = try await MeasuredProcess.run([CacheOpener.word, subject.tree.folder])
        guard record.entries == subject.contents.images.count else { throw BenchmarkFailure("\(record.entries) images were found") }
        return record
    }

    /// Measures all sizes in turn, so that whatever else the machine does affects them alike.
    @LoopActor
    private static func lookUp(in subjects: [Subject], runs: Int) async throws {
        var generator = SampleGenerator(seed: 4)
        let caches = try subjects.map { try PageCache(folder: $0.tree.folder) }
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

    private static func figures(_ subject: Subject) -> [Figure] {
        func figure<Run>(_ name: String, _ unit: String, _ runs: [Run], of value: (Run) -> Double, beside peer: String = "") -> Figure {
            Figure(name + subject.suffix + peer, unit: unit, runs: runs.map(value))
        }
        let (opened, trims, lookUps) = (subject.opened, subject.trims, subject.lookUps)
        func longest(_ waits: [Double]) -> Double { waits.percentile(0.999) }
        return [
            figure("open_s", "s", opened, of: \.openSeconds),
            figure("open_mib", "MiB", opened, of: \.openMebibytes),
            figure("survey_s", "s", opened, of: \.surveySeconds),
            figure("survey_mib", "MiB", opened, of: \.surveyMebibytes),
            figure("store_us", "us", [subject.store], of: { $0 }),
            figure("lookup_us", "us", lookUps, of: \.look),
            figure("use_us", "us", lookUps, of: \.use),
            figure("contains_us", "us", lookUps, of: \.contains),
            figure("lookup_spread_us", "us", lookUps, of: \.spread),
            figure("lookup_spread_us", "us", lookUps, of: \.spreadSystem, beside: "_system"),
            figure("trim_half", "ratio", trims, of: { $0.ours / $0.shell }, beside: "/shell"),
            figure("trim_half_ms", "ms", trims, of: \.ours),
            figure("trim_half_survey_ms", "ms", trims, of: \.survey),
            figure("trim_half_decision_ms", "ms", trims, of: \.decision),
            figure("trim_half_removal_ms", "ms", trims, of: \.removal),
            figure("trim_half_ms", "ms", trims, of: \.shell, beside: "_shell"),
            figure("lookup_block_p999_ms", "ms", trims) { max(longest($0.waits.looks), longest($0.waits.uses)) },
            figure("lookup_block_p999_loop_ms", "ms", trims) { longest($0.waits.looks) },
            figure("lookup_block_p999_thread_ms", "ms", trims) { longest($0.waits.uses) },
            figure("verify_s", "s", subject.verified) { $0 / 1000 },
        ]
    }

    private static let notes = [
        "Images are real PNGs under their own keys. Those of '_full_size' are as large as real ones; all others take one to four "
            + "blocks of 4 KiB, since a hundred thousand real ones would fill twenty gigabytes. Sixty images have a folder.",
        "Everything is warm: the system has just read what it knows about the files. Open and survey run in a process of their own, "
            + "whose total memory is reported.",
        "A trim is survey, wanted set, decision and removal of half the blocks, in a cache that is open; the shell's is "
            + "find -printf | sort -n | head | cut | xargs rm of as many files on a copy of the same tree. They take turns going first.",
        "While ours trims, images from the whole cache are looked up about 3,000 times a second, by a thread and on the loop; "
            + "'lookup_block' is how long that took from request to answer, the worse of the two. Nothing disturbs the shell.",
        "On a disk, removing files is mostly waiting for it, more so where it is mounted with 'discard', and differs from run to run: "
            + "TMPDIR=/dev/shm leaves that out.",
        "'lookup' (on the loop) and 'use' (opened to be shown) are for a thousand images from anywhere in the cache, over and over: "
            + "as many whatever its size, so that the processor has them as near. 'lookup_spread' is for another image each time; "
            + "beside it the bare system calls that this takes, which too cost more the more files there are.",
    ]
}
