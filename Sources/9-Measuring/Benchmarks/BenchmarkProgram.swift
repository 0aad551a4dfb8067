import CommandLine
import Glibc
import Model
import Platform

struct Benchmark: Sendable {
    let name: String
    let summary: String
    /// Whether the benchmark draws PDFs, and so accepts folders with more of them.
    var takesFolders = false
    var takesRuns = false
    /// Takes the measurements. Temporary files go to `folder`, which is removed afterwards.
    let run: @LoopActor @Sendable (BenchmarkRequest, _ folder: String) async throws -> BenchmarkReport
}

/// The program `woodshed-bench`: runs one benchmark and prints its figures.
public enum BenchmarkProgram {
    static let benchmarks = [
        Benchmark(
            name: "plan", summary: "working out what is wanted and missing, for libraries of 10 to 1,000 charts (CPU milliseconds)",
            run: PlanBenchmark.run),
        Benchmark(
            name: "poll", summary: "a first sync and polls without changes, for 1, 10 and 100 upcoming plans; the memory of a large sync",
            run: PollBenchmark.run),
        Benchmark(
            name: "scale", summary: "600 charts in 40 plans, beside 50 charts: CPU for each, 'status', 'ready', and starting again",
            takesRuns: true, run: ScaleBenchmark.run),
        Benchmark(
            name: "render", summary: "page images, beside pdftocairo and mutool", takesFolders: true, takesRuns: true,
            run: RenderBenchmark.run),
        Benchmark(
            name: "annotate", summary: "a new mark on a page, from parsed marks to the renamed file", takesFolders: true, takesRuns: true,
            run: AnnotateBenchmark.run),
        Benchmark(
            name: "cache", summary: "the page cache with up to 100,000 images: open, look-up, trim, verify; beside find, sort, head and rm",
            takesRuns: true, run: CacheBenchmark.run),
        Benchmark(
            name: "watch", summary: "up to 50,000 mark files: save to detected, save to image, start-up; beside inotifywait",
            takesRuns: true, run: WatchBenchmark.run),
        Benchmark(
            name: "band", summary: "what 100 devices share of 300 charts each: first read, one change, memory",
            run: BandBenchmark.run),
        Benchmark(
            name: "idle", summary: "the sleeping agent with 5,000 images: wake-ups, CPU, memory, bytes written",
            run: IdleBenchmark.run),
        Benchmark(
            name: "viewer", summary: "pages as a browser gets them; requests per second; start of the agent",
            run: ViewerBenchmark.run),
    ]

    /// Parses the command line, runs the benchmark and ends the process. Exit codes: 0 for success, 1 if the benchmark failed, 2 if
    /// the command line is invalid.
    public static func main() -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.contains("--help") || words.contains("-h") {
            print(help)
            exit(0)
        }
        if MeasuredJobs.isOne(words) { run { try await MeasuredJobs.answer(words) } }
        do {
            let request = try BenchmarkRequest(words)
            run {
                let folder = try ScratchFolder()
                defer { folder.remove() }
                var report = try await request.benchmark.run(request, folder.path)
                report.bench = request.benchmark.name
                return request.wantsJSON ? try json(report) : report.table
            }
        } catch {
            Log.standardError(from: .info).error("\(error)")
            print(help)
            exit(2)
        }
    }

    private static func run(_ body: @escaping @Sendable @LoopActor () async throws -> String) -> Never {
        exit(
            Loop.shared.run {
                do {
                    print(try await body())
                    return 0
                } catch {
                    Log.standardError(from: .info).error("\(error)")
                    return 1
                }
            })
    }

    private static var help: String {
        var rows = TextTable()
        for benchmark in benchmarks { rows.add(["  \(benchmark.name)", "\(benchmark.summary)"]) }
        return """
            Usage: woodshed-bench BENCHMARK [FOLDER…] [--runs N] [--quick] [--json]

            Benchmarks:
            \(rows.lines().joined(separator: "\n"))

            'render' and 'annotate' measure the demo's scores and every PDF below the folders given. 'cache' fills folders below
            $TMPDIR (else /tmp) with up to 5 GB. What each figure counts: woodshed help measurements

            Options:
              --runs N   How often everything is measured: 3 times for 'render' and 'cache', 21 for 'annotate',
                         5 for 'scale' if not given. For 'watch', the number of saves: 500 if not given.
              --quick    Measure less often, and smaller folders and libraries.
              --json     Print the figures as one line of JSON.

            Examples:
              woodshed-bench plan --json
              woodshed-bench render ~/Music/Scores --runs 5
            """
    }
}

/// The request on the command line.
struct BenchmarkRequest: Sendable {
    let benchmark: Benchmark
    /// Folders with more PDFs to measure.
    let folders: [String]
    /// The number of runs, if given.
    private(set) var runs: Int?
    /// Whether fewer runs and smaller sizes are enough.
    private(set) var isQuick = false
    private(set) var wantsJSON = false

    init(_ words: [String]) throws(Trouble) {
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--runs":
                runs = try rest.popFirst().flatMap { Int($0) }.required("--runs takes a number")
                try require(runs ?? 0 > 0, "--runs takes a number")
            case "--json": wantsJSON = true
            case "--quick": isQuick = true
            case _ where word.hasPrefix("-"): throw Trouble("there is no option \(word)")
            default: names.append(word)
            }
        }
        let name = try names.first.required("name one benchmark")
        benchmark = try BenchmarkProgram.benchmarks.first { $0.name == name }.required("there is no benchmark '\(name)'")
        folders = Array(names.dropFirst())
        try require(benchmark.takesFolders || folders.isEmpty, "'\(name)' takes no folders")
        try require(benchmark.takesRuns || runs == nil, "'\(name)' takes no --runs")
    }

    /// The number of runs: the one given with `--runs`, otherwise `quick` with `--quick`, otherwise `usual`.
    func runs(quick: Int, usual: Int) -> Int { runs ?? (isQuick ? quick : usual) }
}
