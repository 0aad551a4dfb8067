import Model
import Testing

@testable import BenchmarkCorpus
@testable import Benchmarks

@Suite(.timeLimit(.minutes(5)))
struct ComparisonTests {
    private let chart: CorpusChart

    init() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        chart = try #require(try CorpusChart.demo(in: scratch.path).first)
    }

    private func page(_ index: Int, _ kind: PageClass = .engraved) -> CorpusPage {
        CorpusPage(chart: chart, index: PageIndex(index), pageCount: 2, width: 1932, height: 2732, kind: kind, plainBytes: 1)
    }

    /// CPU milliseconds of each run: of our plain image and thumbnail, and of pdftocairo.
    private func runs(ours: [Double], theirs: [Double]) -> Measurements {
        var runs = Measurements()
        runs.add("plain_thumbnail_ms", "ms", ours)
        runs.add("pdftocairo", "ms", theirs)
        return runs
    }

    @Test func startIsWhatSeparateProcessesCostMore() {
        // In separate processes, the first chart needs two more starts than in a single process, and the second chart needs one more.
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
        let theirs = [100.0, 100]
        let pages = [
            page(0): runs(ours: [10, 20], theirs: theirs), page(1): runs(ours: [30, 30], theirs: theirs),
            page(2): runs(ours: [50, 60], theirs: theirs), page(3, .grayScan): runs(ours: [1, 1], theirs: theirs),
        ]
        #expect(Comparison(pages: pages, startUps: [:]).medians(.engraved, Peer.pdftocairo) == [0.3, 0.3])
        #expect(Comparison(pages: pages, startUps: [:]).medians(.engraved, "plain_thumbnail_ms") == [30, 30])
    }

    @Test func startIsTakenOffBeforeTheRatio() throws {
        let startUps = [Peer.pdftocairo: StartUp([(separate: [60, 60], together: 80)])]
        let comparison = Comparison(pages: [page(0): runs(ours: [10], theirs: [60])], startUps: startUps)
        // A start costs 40; each of the two pages bears half of it.
        #expect(comparison.ratios(page(0), .pdftocairo) == [0.25])
    }

    @Test func worstPageIsWorstByItsMedian() throws {
        let theirs = [100.0, 100, 100]
        let pages = [page(0): runs(ours: [90, 10, 10], theirs: theirs), page(1): runs(ours: [20, 30, 25], theirs: theirs)]
        let worst = try #require(Comparison(pages: pages, startUps: [:]).worst(.pdftocairo))
        #expect(worst.page.index == PageIndex(1))
        #expect(worst.ratios == [0.2, 0.3, 0.25])
    }

    @Test func whatWasNotMeasuredHasNoFigure() {
        let comparison = Comparison(pages: [page(0): runs(ours: [1], theirs: [2])], startUps: [:])
        #expect(comparison.medians(.engraved, Peer.mutoolGray).isEmpty)
        #expect(comparison.medians(.grayScan, Peer.pdftocairo).isEmpty)
        #expect(comparison.worst(.mutoolGray)?.page == nil)
    }
}
