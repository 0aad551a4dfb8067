import Glibc
import Platform

/// The program `woodshed-bench`: runs one benchmark and prints its figures.
public enum BenchmarkProgram {
    private static let benchmarks: [(name: String, summary: String, run: @Sendable () throws -> BenchmarkReport)] = [
        ("plan", "deriving what is wanted and missing, for libraries of 10 to 1,000 charts (CPU milliseconds)", PlanBenchmark.run),
        (
            "poll", "a first sync and polls without change, for 1, 10 and 100 coming plans; and the memory of a large sync",
            PollBenchmark.run
        ),
    ]

    /// Reads the command line, runs the benchmark and ends the process: 0 fine, 1 it did not run to its end, 2 a command
    /// line that was not understood.
    public static func main() -> Never {
        var words = Array(CommandLine.arguments.dropFirst())
        // What is measured runs in a process of its own, without the service it talks to.
        if let poller = Poller(words) { exit(poller.run()) }
        let wantsJSON = words.contains("--json")
        words.removeAll { $0 == "--json" }
        if words.contains("--help") || words.contains("-h") {
            print(help)
            exit(0)
        }
        guard words.count == 1, let benchmark = benchmarks.first(where: { $0.name == words[0] }) else {
            Log.standardError(from: .info).error(words.count == 1 ? "there is no benchmark '\(words[0])'" : "name one benchmark")
            print(help)
            exit(2)
        }
        do {
            let report = try benchmark.run()
            print(wantsJSON ? report.json : report.table)
            exit(0)
        } catch {
            Log.standardError(from: .info).error("\(error)")
            exit(1)
        }
    }

    private static var help: String {
        let width = benchmarks.map(\.name.count).max() ?? 0
        let rows = benchmarks.map { "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary }
        return """
            Usage: woodshed-bench BENCHMARK [--json]

            Benchmarks:
            \(rows.joined(separator: "\n"))

            Example:
              woodshed-bench plan --json    Print the figures as one line of JSON.
            """
    }
}
