import Glibc
import Platform

/// The program `woodshed-bench`: runs one benchmark and prints its figures.
public enum BenchmarkProgram {
    struct Benchmark {
        var name: String
        var summary: String
        /// Whether it measures PDFs, and so takes folders of them.
        var takesFolders = false
        /// The numbers that it takes.
        var takes: Set<BenchmarkRequest.Number> = []
        /// Measures; what is made meanwhile goes to a folder that is removed afterwards.
        var run: @LoopActor @Sendable (BenchmarkRequest, _ folder: String) async throws -> BenchmarkReport
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
            takes: [.runs], run: ScaleBenchmark.run),
        Benchmark(
            name: "render", summary: "page images, beside pdftocairo, pdftoppm, mutool and pdfium where installed", takesFolders: true,
            takes: [.runs], run: RenderBenchmark.run),
        Benchmark(
            name: "annotate", summary: "a new mark on a page, from parsed marks to the renamed file", takesFolders: true, takes: [.runs],
            run: AnnotateBenchmark.run),
        Benchmark(
            name: "cache",
            summary: "the page cache with up to 100,000 images: open, look-up, trim, verify; beside find, sort, head and rm",
            takes: [.runs, .entries], run: CacheBenchmark.run),
        Benchmark(
            name: "watch",
            summary: "up to 50,000 mark files: save to detected, save to image, start-up; beside inotifywait and watchman",
            takes: [.runs, .entries], run: WatchBenchmark.run),
        Benchmark(
            name: "idle",
            summary: "the sleeping agent with 20 plans and 5,000 images: wake-ups, CPU, memory, bytes written; beside syncthing",
            takes: [.minutes], run: IdleBenchmark.run),
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
        if words.contains("--help") || words.contains("-h") {
            print(help)
            exit(0)
        }
        exit(
            Loop.shared.run {
                do {
                    if let record = try await MeasuredJobs.answer(words) { print(record) } else { print(try await report(words)) }
                    return 0
                } catch {
                    Log.standardError(from: .info).error("\(error)")
                    guard error is BenchmarkRequest.Misunderstanding else { return 1 }
                    print(help)
                    return 2
                }
            })
    }

    @LoopActor
    private static func report(_ words: [String]) async throws -> String {
        let (request, benchmark) = try understand(words)
        let folder = try ScratchFolder()
        defer { folder.remove() }
        var report = try await benchmark.run(request, folder.path)
        report.bench = benchmark.name
        return request.wantsJSON ? report.json : report.table
    }

    static func understand(_ words: [String]) throws(BenchmarkRequest.Misunderstanding) -> (BenchmarkRequest, Benchmark) {
        let request = try BenchmarkRequest(words)
        guard let benchmark = benchmarks.first(where: { $0.name == request.benchmark }) else {
            throw BenchmarkRequest.Misunderstanding("there is no benchmark '\(request.benchmark)'")
        }
        guard benchmark.takesFolders || request.folders.isEmpty else {
            throw BenchmarkRequest.Misunderstanding("'\(benchmark.name)' takes no folders")
        }
        if let number = request.numbers.keys.first(where: { !benchmark.takes.contains($0) }) {
            throw BenchmarkRequest.Misunderstanding("'\(benchmark.name)' takes no \(number.rawValue)")
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
              --quick      Measure less often, and smaller folders and libraries.
              --json       Print the figures as one line of JSON.

            Examples:
              woodshed-bench plan --json
              woodshed-bench render ~/Music/Scores --runs 5
            """
    }
}

/// What the command line asks for.
struct BenchmarkRequest: Equatable, Sendable {
    /// A number that some benchmarks take, by its option.
    enum Number: String, Sendable {
        /// How often everything is measured.
        case runs = "--runs"
        /// The most images or files that a folder is filled with.
        case entries = "--entries"
        /// How long an idle agent is watched.
        case minutes = "--minutes"

        var range: ClosedRange<Int> {
            switch self {
            case .runs: 1...1000
            case .entries: 1000...1_000_000
            case .minutes: 1...1440
            }
        }
    }

    /// Why a command line is not understood, in a sentence.
    struct Misunderstanding: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    var benchmark: String
    /// Folders with more PDFs to measure.
    var folders: [String] = []
    var numbers: [Number: Int] = [:]
    /// Whether fewer runs and smaller sizes will do.
    var isQuick = false
    var wantsJSON = false

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(Misunderstanding) {
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if let number = Number(rawValue: word) {
                guard let value = rest.popFirst().flatMap({ Int($0) }), number.range.contains(value) else {
                    throw Misunderstanding("\(word) takes a number from \(number.range.lowerBound) to \(number.range.upperBound)")
                }
                numbers[number] = value
            } else if word == "--json" {
                wantsJSON = true
            } else if word == "--quick" {
                isQuick = true
            } else if word.hasPrefix("-") {
                throw Misunderstanding("there is no option \(word)")
            } else {
                names.append(word)
            }
        }
        guard let name = names.first else { throw Misunderstanding("name one benchmark") }
        benchmark = name
        folders = Array(names.dropFirst())
    }

    /// A number that was given, else the benchmark's own.
    func number(_ number: Number, quick: Int, usual: Int) -> Int { numbers[number] ?? (isQuick ? quick : usual) }
}
