import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(5)))
struct FigureTests {
    @Test func medianIsTheMiddleOrTheMeanOfTwo() {
        #expect([3.0, 1, 2].median == 2)
        #expect([4.0, 1, 2, 3].median == 2.5)
        #expect([7.0].median == 7)
        #expect([Double]().median.isNaN)
    }

    @Test func percentileIsAValueThatOccurred() {
        let values = (1...20).map(Double.init)
        #expect(values.shuffled().percentile(0.95) == 19)
        #expect(values.percentile(1) == 20)
        #expect(values.percentile(0) == 1)
    }

    @Test func figureHasItsSpread() {
        let few = Figure("few", unit: "ms", runs: [5, 1, 3])
        #expect((few.low, few.value, few.high) == (1, 3, 5))
        #expect(few.p95 == nil)
        #expect(few.runs == 3)
        #expect(Figure("many", unit: "ms", runs: (1...21).map(Double.init)).p95 == 20)
    }

    @Test(arguments: [
        (0.5, 3, "0.500"), (12, 3, "12"), (-0.25, 1, "-0.3"), (-0.04, 1, "0.0"), (1.996, 2, "2.00"), (41.6, 0, "42"),
        (.nan, 1, "-"),
    ])
    func numbersArePrintedWithTheDigitsAskedFor(value: Double, digits: Int, text: String) {
        #expect(BenchmarkReport.text(value, digits: digits) == text)
    }
}
