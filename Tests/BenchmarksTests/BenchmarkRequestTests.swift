import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(1)))
struct BenchmarkRequestTests {
    @Test func optionsStandAnywhere() throws {
        let request = try BenchmarkRequest(["--json", "render", "a", "--runs", "5", "b"])
        #expect(request.benchmark == "render")
        #expect(request.folders == ["a", "b"])
        #expect(request.runs == 5)
        #expect(request.wantsJSON)
    }

    @Test(arguments: [[], ["--json"], ["render", "--runs"], ["render", "--runs", "0"], ["render", "--runs", "x"], ["render", "--fast"]])
    func whatIsNotUnderstoodIsRefused(words: [String]) {
        #expect(throws: BenchmarkFailure.self) { try BenchmarkRequest(words) }
    }
}
