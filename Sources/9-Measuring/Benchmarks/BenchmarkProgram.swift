import CommandLine
import Glibc
import Platform

/// The program `woodshed-bench`: runs one benchmark and prints its figures.
public enum BenchmarkProgram {
    struct Benchmark: Sendable {
        var name: String
        var summary: String
        /// Whether it measures PDFs, and so takes folders of them.
        var takesFolders = false
        /// Whether it can be told how often to measure.
        var takesRuns = false
        /// Measures; what is made meanwhile goes to a folder that is removed afterwards.
        var run: @LoopActor @Sendable (BenchmarkRequest, _ folder: String) async throws -> BenchmarkReport
    }

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
            name: "render", summary: "page images, beside pdftocairo, pdftoppm, mutool and pdfium", takesFolders: true, takesRuns: true,
            run: RenderBenchmark.run),
        Benchmark(
            name: "annotate", summary: "a new mark on a page, from parsed marks to the renamed file", takesFolders: true, takesRuns: true,
            run: AnnotateBenchmark.run),
        Benchmark(
            name: "cache", summary: "the page cache with up to 100,000 images: open, look-up, trim, verify; beside find, sort, head and rm",
            takesRuns: true, run: CacheBenchmark.run),
        Benchmark(
            name: "watch", summary: "up to 50,000 mark files: save to detected, save to image, start-up; beside inotifywait and watchman",
            takesRuns: true, run: WatchBenchmark.run),
        Benchmark(
            name: "idle", summary: "the sleeping agent with 5,000 images: wake-ups, CPU, memory, bytes written; beside syncthing",
            run: IdleBenchmark.run),
        Benchmark(
            name: "viewer", summary: "pages as a browser gets them; requests per second beside nginx; start of the agent",
            run: ViewerBenchmark.run),
    ]

    /// Reads the command line, runs the benchmark and ends the process: 0 fine, 1 the benchmark failed, 2 a command
    /// line that was not understood.
    public static func main() -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.contains("--help") || words.contains("-h") {
            print(help)
            exit(0)
        }
        if MeasuredJobs.isOne(words) { run { try await MeasuredJobs.answer(words) } }
        do {
            let (request, benchmark) = try understand(words)
            run {
                let folder = try ScratchFolder()
                defer { folder.remove() }
                var report = try await benchmark.run(request, folder.path)
                report.bench = benchmark.name
                return request.wantsJSON ? report.json : report.table
            }
        } catch {
            Log.standardError(from: .info).error("\(error)")
            print(help)
            exit(2)
        }
    }

    /// Prints what comes out, and ends the process.
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

    static func understand(_ words: [String]) throws(BenchmarkFailure) -> (BenchmarkRequest, Benchmark) {
        let request = try BenchmarkRequest(words)
        guard let benchmark = benchmarks.first(where: { $0.name == request.benchmark }) else {
            throw BenchmarkFailure("there is no benchmark '\(request.benchmark)'")
        }
        guard benchmark.takesFolders || request.folders.isEmpty else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no folders")
        }
        guard benchmark.takesRuns || request.runs == nil else { throw BenchmarkFailure("'\(benchmark.name)' takes no --runs") }
        return (request, benchmark)
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

/// What the command line asks for.
struct BenchmarkRequest: Equatable, Sendable {
    var benchmark: String
    /// Folders with more PDFs to measure.
    var folders: [String] = []
    /// How often everything is measured, if that was said.
    var runs: Int?
    /// Whether fewer runs and smaller sizes will do.
    var isQuick = false
    var wantsJSON = false

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(BenchmarkFailure) {
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--runs" {
                runs = rest.popFirst().flatMap { Int($0) }
                guard let runs, runs > 0 else { throw BenchmarkFailure("--runs takes a number") }
            } else if word == "--json" {
                wantsJSON = true
            } else if word == "--quick" {
                isQuick = true
            } else if word.hasPrefix("-") {
                throw BenchmarkFailure("there is no option \(word)")
            } else {
                names.append(word)
            }
        }
        guard let name = names.first else { throw BenchmarkFailure("name one benchmark") }
        benchmark = name
        folders = Array(names.dropFirst())
    }

    /// How often to measure, if nothing else was said.
    func runs(quick: Int, usual: Int) -> Int { runs ?? (isQuick ? quick : usual) }
}
