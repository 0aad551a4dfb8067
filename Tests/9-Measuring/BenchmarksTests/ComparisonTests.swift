import Model
import Testing

@testable import BenchmarkCorpus
@testable import Benchmarks

@Suite(.timeLimit(.minutes(60)))
struct ComparisonTests {
    private let chart: CorpusChart

    init() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        chart = try #require(try CorpusChart.demo(in: scratch.path).first)
    }

    private func page(_ index: Int, _ kind: PageClass = .engraved, ours: [Double], theirs: [Double]) -> PageRuns {
        let page = CorpusPage(chart: chart, index: PageIndex(index), pageCount: 2, width: 1932, height: 2732, kind: kind, plainBytes: 1)
        var runs = PageRuns(page: page)
        runs.plainAndThumbnail = ours.map { Cost(cpu: $0, wall: $0 + 1) }
        runs.peers[.pdftocairo] = theirs
        return runs
    }

    @Test func startIsWhatSeparateProcessesCostMore() {
        // Two more starts than needed in the first, one in the second.
        let startUp = StartUp([
            (separate: [110, 120, 130], together: 340), (separate: [100, 100], together: 190), (separate: [99], together: 99),
        ])
        #expect(startUp.milliseconds == 10)
        #expect(startUp.share(of: 100, pageCount: 1) == 100)
        #expect(startUp.share(of: 100, pageCount: 5) == 92)
    }

    @Test func noiseMakesNoStartNegative() {
        #expect(StartUp([(separate: [100, 100], together: 205)]).milliseconds == 0)
        #expect(StartUp([]).milliseconds == 0)
    }

    @Test func sharesOfAChartSumUpToOneProcess() {
        let separate = [110.0, 120, 130]
        let startUp = StartUp([(separate, 340)])
        #expect(separate.reduce(0) { $0 + startUp.share(of: $1, pageCount: 3) } == 340)
    }

    @Test func medianIsTakenOverPagesInEachRun() throws {
        let pages = [
            page(0, ours: [10, 20], theirs: [100, 100]), page(1, ours: [30, 30], theirs: [100, 100]),
            page(2, ours: [50, 60], theirs: [100, 100]), page(3, .grayScan, ours: [1, 1], theirs: [100, 100]),
        ]
        let figure = try #require(Comparison(pages: pages, startUps: [:]).median("plain", .engraved, .pdftocairo))
        #expect(figure.name == "plain/pdftocairo")
        #expect((figure.low, figure.value, figure.high, figure.runs) == (0.3, 0.3, 0.3, 2))
    }

    @Test func startIsTakenOffBeforeTheRatio() throws {
        let startUps = [Peer.pdftocairo: StartUp([(separate: [60, 60], together: 80)])]
        let comparison = Comparison(pages: [page(0, ours: [10], theirs: [60])], startUps: startUps)
        // Half of a start of 40 stays with each of two pages.
        #expect(comparison.ratios(comparison.pages[0], .pdftocairo) == [0.25])
    }

    @Test func worstPageIsWorstByItsMedian() throws {
        let pages = [page(0, ours: [90, 10, 10], theirs: [100, 100, 100]), page(1, ours: [20, 30, 25], theirs: [100, 100, 100])]
        let worst = try #require(Comparison(pages: pages, startUps: [:]).worst(.pdftocairo))
        #expect(worst.page.index == PageIndex(1))
        #expect((worst.figure.low, worst.figure.value, worst.figure.high) == (0.2, 0.25, 0.3))
    }

    @Test func whatWasNotMeasuredHasNoFigure() {
        let comparison = Comparison(pages: [page(0, ours: [1], theirs: [2])], startUps: [:])
        #expect(comparison.median("plain", .engraved, .mutoolGray) == nil)
        #expect(comparison.median("plain", .grayScan, .pdftocairo) == nil)
        #expect(comparison.worst(.mutoolGray) == nil)
    }
}
