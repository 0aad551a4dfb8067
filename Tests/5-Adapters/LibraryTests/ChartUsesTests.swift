import ChartFiles
import Library
import Model
import Platform
import TestSupport
import Testing

/// Charts that the service makes on demand: one attachment has a different chart for each key.
@Suite(.onLoop)
struct ChartUsesTests {
    private let home = TemporaryFolder()
    private var music: String { home.path("music") }

    private func chart(_ key: String, arrangement: Int = 1) -> Attachment {
        Attachment(
            id: AttachmentID("chord_chart-1--"), filename: "Swing Low.pdf", updatedAt: Timestamp(nanoseconds: 1_000_000_000),
            isGenerated: true,
            generatedFrom: "2026-10-0\(arrangement)T08:00:00Z \(key)")
    }

    private func plan(_ id: String, day: Int, _ charts: Attachment...) -> PlanContents {
        Samples.contents(id, day: day, attachments: charts)
    }

    @Test @LoopActor func oneSongInTwoKeysHasTwoCharts() throws {
        let library = try Library(folder: home.path("data"))
        let (inG, inBFlat) = (chart("G"), chart("Bb"))
        // The order in which the two plans come makes no difference.
        for _ in 0..<3 {
            try library.plans.update([plan("1", day: 0, inG)], at: Samples.monday)
            try library.plans.update([plan("2", day: 7, inBFlat)], at: Samples.monday)
        }
        let plans = try library.plans.all()
        #expect(plans.map(\.attachments) == [[inG], [inBFlat]])
        #expect(try library.charts.attachmentsToDownload(for: plans) == [inG, inBFlat])
        let one = try library.download(Samples.pdf("in G"), for: inG)
        #expect(try library.charts.attachmentsToDownload(for: plans) == [inBFlat])
        #expect(try library.charts.chart(of: inBFlat.use)?.hash == one, "better than nothing")
        #expect(try library.charts.chart(of: inBFlat.use)?.version != inBFlat.version)
        let two = try library.download(Samples.pdf("in Bb"), for: inBFlat)
        #expect(try library.charts.attachmentsToDownload(for: plans) == [])
        #expect(try library.charts.chart(of: inG.use)?.hash == one && library.charts.chart(of: inBFlat.use)?.hash == two)
        #expect(try library.plans.update([plan("1", day: 0, inG), plan("2", day: 7, inBFlat)], at: Samples.monday) == [])
    }

    @Test @LoopActor func oneSongTwiceInAPlanIsTwoChartsWithTheirLinks() throws {
        let library = try Library(folder: home.path("data"))
        let charts = [chart("G"), chart("Bb"), chart("G")]
        try library.plans.update([Samples.contents("1", attachments: charts)], at: Samples.monday)
        #expect(try library.plans.all().first?.attachments == Array(charts.prefix(2)))
        let hashes = try ["in G", "in Bb"].indices.map { try library.download(Samples.pdf("\($0)"), for: charts[$0]) }
        let links = try library.linkCharts(into: music).made.map { try AtomicFile.read($0, limit: 1000) }
        #expect(links == ["0", "1"].map { Samples.pdf($0) })
        #expect(try library.charts.all(of: charts[0].id).sorted() == hashes.sorted())
        #expect(try library.linkCharts(into: music).made == [])
    }

    @Test @LoopActor func anotherKeyInThePlanTakesThePlaceOfTheFormerOne() throws {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([plan("1", day: 0, chart("G"))], at: Samples.monday)
        let old = try library.download(Samples.pdf("in G"), for: chart("G"))
        let changes = try library.plans.update([plan("1", day: 0, chart("Bb"))], at: Samples.monday)
        #expect(changes.contains { if case .chartReplaced = $0 { true } else { false } })
        let new = try library.download(Samples.pdf("in Bb"), for: chart("Bb"))
        #expect(try library.charts.all(of: chart("G").id) == [new])
        // The old chart stays for a while, like any chart that was replaced.
        _ = try library.pruneWatched(now: Samples.monday)
        #expect(try library.charts.hasBytes(of: old))
    }

    @Test @LoopActor func aChangedArrangementIsFetchedForEachOfItsKeys() throws {
        let library = try Library(folder: home.path("data"))
        let keys = ["G", "Bb"]
        try library.plans.update([Samples.contents("1", attachments: keys.map { chart($0) })], at: Samples.monday)
        for key in keys { try library.download(Samples.pdf(key), for: chart(key)) }
        let newer = keys.map { chart($0, arrangement: 2) }
        try library.plans.update([Samples.contents("1", attachments: newer)], at: Samples.monday)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == newer)
        for chart in newer { try library.download(Samples.pdf(chart.version), for: chart) }
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
        #expect(try library.charts.all(of: chart("G").id).count == 2)
    }

    @Test @LoopActor func marksLieOnEachOfThemAndAreAcceptedForAll() throws {
        let library = try Library(folder: home.path("data"))
        let charts = [chart("G"), chart("Bb")]
        try library.plans.update([Samples.contents("1", attachments: charts)], at: Samples.monday)
        for chart in charts { try library.download(Samples.pdf(chart.version), for: chart) }
        let layer = Layer(id: LayerID("l"), attachment: charts[0].id, marks: [Samples.mark("m")])
        try library.layers.update(layers: [layer], of: PlanID("1"), at: Samples.monday)
        #expect(try library.olderMarks.all() == [], "they were made on either")
        let newer = [chart("G", arrangement: 2), chart("Bb", arrangement: 2)]
        try library.plans.update([Samples.contents("1", attachments: newer)], at: Samples.monday)
        for chart in newer { try library.download(Samples.pdf(chart.version), for: chart) }
        #expect(try library.olderMarks.all().count == 2)
        #expect(try library.accept(chart: charts[0].id) == .marks)
        #expect(try library.olderMarks.all() == [])
        #expect(try library.accept(chart: charts[0].id).isEmpty)
    }

    @Test @LoopActor func aUseThatIsOverIsLetGoOfInTime() throws {
        let library = try Library(folder: home.path("data"))
        let plans = [plan("1", day: 0, chart("G")), plan("2", day: 60, chart("Bb"))]
        try library.plans.update(plans, at: Samples.monday)
        let one = try library.download(Samples.pdf("in G"), for: chart("G"))
        let two = try library.download(Samples.pdf("in Bb"), for: chart("Bb"))
        let later = Samples.monday + .seconds(40 * 86_400)
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.charts.all(of: chart("G").id) == [two])
        _ = try library.pruneWatched(now: later)
        #expect(try library.pruneWatched(now: later + .seconds(40 * 86_400)) == [one])
        #expect(try library.charts.chart(of: chart("Bb").use)?.hash == two)
    }
}
