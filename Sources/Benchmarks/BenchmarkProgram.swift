import Glibc
import Platform

/// The program `woodshed-bench`: runs one benchmark and prints its figures.
public enum BenchmarkProgram {
    struct Benchmark {
        var name: String
        var summary: String
        /// Whether it measures PDFs, and so takes folders of them and a number of runs.
        var takesPages = false
        /// Whether it fills folders, and so takes a number of runs and a number of files.
        var takesEntries = false
        /// Whether it takes a number of runs, and nothing else.
        var takesRuns = false
        /// Whether it watches an idle agent, and so takes a number of minutes.
        var takesMinutes = false
        var run: @Sendable (BenchmarkRequest) throws -> BenchmarkReport
    }

    static let benchmarks = [
        Benchmark(
            name: "plan", summary: "working out what is wanted and missing, for libraries of 10 to 1,000 charts (CPU milliseconds)",
            run: PlanBenchmark.run),
        Benchmark(
            name: "poll",
            summary: "a first sync and polls without changes, for 1, 10 and 100 upcoming plans; and the memory of a large sync",
            run: PollBenchmark.run),
        Benchmark(
            name: "scale",
            summary: "600 charts with 5,400 images in 40 plans: CPU for each, 'status', 'ready', and starting again, beside 50 charts",
            takesRuns: true, run: ScaleBenchmark.run),
        Benchmark(
            name: "render", summary: "page images, beside pdftocairo, pdftoppm, mutool and pdfium where installed", takesPages: true,
            run: RenderBenchmark.run),
        Benchmark(
            name: "annotate", summary: "a new mark on a page, from parsed marks to the renamed file", takesPages: true,
            run: AnnotateBenchmark.run),
        Benchmark(
            name: "cache",
            summary: "the page cache with up to 100,000 images: open, look-up, trim, verify; beside find, sort, head and rm",
            takesEntries: true, run: CacheBenchmark.run),
        Benchmark(
            name: "watch",
            summary: "up to 50,000 mark files: save to detected, save to image, start-up; beside inotifywait and watchman",
            takesEntries: true, run: WatchBenchmark.run),
        Benchmark(
            name: "idle",
            summary: "the sleeping agent with 20 plans and 5,000 images: wake-ups, CPU, memory, bytes written; beside syncthing",
            takesMinutes: true, run: IdleBenchmark.run),
        Benchmark(
            name: "viewer",
            summary:
                "pages as a browser gets them: from memory, from disk and drawn live; requests per second beside nginx; start of the agent",
            run: ViewerBenchmark.run),
    ]

    /// Reads the command line, runs the benchmark and ends the process: 0 fine, 1 the benchmark failed, 2 a command
    /// line that was not understood.
    public static func main() -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        // What is measured runs in a process of its own, without the service that it talks to or the code that fills its cache.
        if let poller = Poller(words) { exit(poller.run()) }
        if let opener = CacheOpener(words) { exit(opener.run()) }
        if let watching = WatchingProcess(words) { exit(watching.run()) }
        if words.contains("--help") || words.contains("-h") {
            print(help)
            exit(0)
        }
        do {
            let (request, benchmark) = try understand(words)
            do {
                let report = try benchmark.run(request)
                print(request.wantsJSON ? report.json : report.table)
                exit(0)
            } catch {
                Log.standardError(from: .info).error("\(error)")
                exit(1)
            }
        } catch {
            Log.standardError(from: .info).error("\(error)")
            print(help)
            exit(2)
        }
    }

    private static func understand(_ words: [String]) throws(BenchmarkFailure) -> (BenchmarkRequest, Benchmark) {
        let request = try BenchmarkRequest(words)
        guard let benchmark = benchmarks.first(where: { $0.name == request.benchmark }) else {
            throw BenchmarkFailure("there is no benchmark '\(request.benchmark)'")
        }
        guard benchmark.takesPages || request.folders.isEmpty else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no folders")
        }
        guard benchmark.takesPages || benchmark.takesEntries || benchmark.takesRuns || request.runs == nil else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no --runs")
        }
        guard benchmark.takesEntries || request.entries == nil else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no --entries")
        }
        guard benchmark.takesMinutes || request.minutes == nil else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no --minutes")
        }
        guard !request.isQuick || !["idle", "viewer"].contains(benchmark.name) else {
            throw BenchmarkFailure("'\(benchmark.name)' takes no --quick")
        }
        return (request, benchmark)
    }

    private static var help: String {
        let width = benchmarks.map(\.name.count).max() ?? 0
        let rows = benchmarks.map { "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary }
        return """
            Usage: woodshed-bench BENCHMARK [FOLDER…] [--runs N] [--entries N] [--minutes N] [--quick] [--json]

            Benchmarks:
            \(rows.joined(separator: "\n"))

            'render' and 'annotate' measure the demo's scores and every PDF below the folders given, 'render' photographs of
            some of those scores as well, which it makes, alike in every run:
              Ours is done by woodshed-render processes as the agent runs them, warm: the chart is open and another page
              of it was made before. CPU time is the worker's and this program's. Peers run in turn with ours, run by run,
              one process a page. Of such a process only the page's equal share of one start is counted, for a process
              for the whole chart starts once; that is the stricter measure for us, and the amount subtracted is printed. pdfium
              comes as a library for Python (pip install pypdfium2 pillow); for it, no part of the start is subtracted.
              'render': plain image and thumbnail of ours over the one image of a peer, in CPU time. 'worst_page' is the
              engraved page with the highest ratio. Stages are measured in this process.
              'annotate': time on the wall. The pixels of a composed image are compared with those of a full render.
            'cache' fills folders below $TMPDIR (else /tmp) with up to 5 GB; on a slow disk it takes minutes.
            'watch' starts an agent on folders with 10, 1,000 and 50,000 files, and saves among them; it takes minutes.
            'idle', 'viewer' and 'scale' start the programs as people do, and see no difference from real use.
            'scale' draws 5,850 images at the usual size first, which takes minutes.

            Options:
              --runs N     How often everything is measured: 3 times for 'render' and 'cache', 21 for 'annotate',
                           5 for 'scale' if not given.
                           For 'watch', the number of saves: 500 if not given.
              --entries N  The most images of a cache, 100000 if not given; for 'watch', the most files, 50000 if not given.
              --minutes N  How long 'idle' watches, after a minute's rest: 10 if not given.
              --quick      Measure less often, and smaller folders and libraries; not for 'idle' and 'viewer'.
              --json       Print the figures as one line of JSON.

            Examples:
              woodshed-bench plan --json
              woodshed-bench render ~/Music/Scores --runs 5
            """
    }
}
