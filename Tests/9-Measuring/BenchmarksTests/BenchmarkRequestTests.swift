import Model
import Platform
import TestSupport
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(5)))
struct BenchmarkRequestTests {
    @Test func optionsStandAnywhere() throws {
        let request = try BenchmarkRequest(["--json", "render", "a", "--runs", "5", "b"])
        #expect(request.benchmark.name == "render")
        #expect(request.folders == ["a", "b"])
        #expect(request.runs == 5)
        #expect(request.wantsJSON)
    }

    @Test func lessIsMeasuredOnlyOnRequest() throws {
        #expect(try BenchmarkRequest(["poll", "--quick"]).isQuick)
        #expect(try !BenchmarkRequest(["poll"]).isQuick)
    }

    @Test func onlyWhatIsMeasuredInRunsTakesTheirNumber() throws {
        #expect(try BenchmarkRequest(["scale", "--runs", "2"]).runs == 2)
        #expect(throws: Trouble.self) { try BenchmarkRequest(["idle", "--runs", "2"]) }
    }

    @Test(arguments: [[], ["--json"], ["render", "--runs"], ["render", "--runs", "0"], ["render", "--runs", "x"], ["render", "--fast"]])
    func whatIsNotUnderstoodIsRefused(words: [String]) {
        #expect(throws: Trouble.self) { try BenchmarkRequest(words) }
    }

    /// The manual's page on measurements names exactly the existing benchmarks.
    @Test func eachIsInTheManual() throws {
        let page = try Repository.text("Sources/1-Embedded/Manual/pages/measurements.md")
        let named = page.split(separator: "\n").compactMap { $0.prefixMatch(of: #/\| `woodshed-bench ([a-z]+)` /#).map { String($0.1) } }
        #expect(named.sorted() == BenchmarkProgram.benchmarks.map(\.name).sorted())
    }
}
