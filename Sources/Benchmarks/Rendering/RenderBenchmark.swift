import BenchmarkCorpus
import Model
import Platform
import Rendering

/// What pages cost: ours with real workers, and the peers' in turn with them, run by run.
@LoopActor
struct RenderBenchmark {
    private static let defaultRuns = 3

    private let runs: Int
    private let folder: String
    private let renderer: MeasuredRenderer
    private let corpus: Corpus
    private let peers: InstalledPeers
    private let marks: PageMarks?

    @Sendable
    nonisolated static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        try onLoop {
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            return try await RenderBenchmark(request, folder: scratch.path).report()
        }
    }

    private init(_ request: BenchmarkRequest, folder: String) async throws {
        runs = request.runs ?? (request.isQuick ? 1 : Self.defaultRuns)
        self.folder = folder
        for name in ["charts", "peers", "stages"] { try Folder.create(folder + "/" + name) }
        var peers = InstalledPeers(folder: folder + "/peers")
        try await peers.tryOut()
        self.peers = peers
        renderer = try await MeasuredRenderer(width: 1, folder: folder + "/cache")
        var charts = try CorpusChart.demo(in: folder + "/charts")
        charts += try CorpusChart.photographs(of: charts, in: folder + "/charts")
        for folder in request.folders { charts += try CorpusChart.all(below: folder) }
        corpus = try await Corpus(charts, with: renderer)
        marks = PageMarks(drawing: SampleMarks.worn(color: Color(red: 0x1a, green: 0x5f, blue: 0xb4)))
    }

    private func report() async throws -> BenchmarkReport {
        let comparison = try await compare()
        let sizes = try await sizeFigures()
        await renderer.pool.stop()
        let stages = try stages()
        let figures =
            try await ratioFigures(comparison) + costFigures(comparison) + speedFigures() + peakFigures()
            + sizes + stageFigures(stages)
        return BenchmarkReport(
            "render", missing: peers.missing.map(\.rawValue), figures: figures, notes: notes(comparison),
            details: [comparison.table(peers.present), stageTable(stages)])
    }

    // MARK: - Measuring

    /// Measures ours and every peer's in turn, page by page, as often as asked for.
    private func compare() async throws -> Comparison {
        var pages: [CorpusPage: PageRuns] = [:]
        var charts: [Peer: [(separate: [Double], together: Double)]] = [:]
        for run in 1...runs {
            Log.standardError(from: .info).info("run \(run) of \(runs), \(corpus.pages.count) pages")
            for chart in corpus.charts {
                var separate: [Peer: [Double]] = [:]
                for page in chart {
                    var costs = pages[page] ?? PageRuns(page: page)
                    try await renderer.warmUp(for: page)
                    costs.plainAndThumbnail.append(try await renderer.render(page, [.plain, .thumbnail]).cost)
                    try await renderer.warmUp(for: page)
                    costs.threeVariants.append(try await renderer.render(page, Variant.allCases, marks: marks).cost)
                    for peer in Peer.suited(to: page.kind) where peers.present.contains(peer) {
                        let cost = try await peers.run(peer, page.index.number...page.index.number, like: page)
                        costs.peers[peer, default: []].append(cost.cpu)
                        separate[peer, default: []].append(cost.cpu)
                    }
                    pages[page] = costs
                }
                // Once is enough, since the cost of a start is the median over the charts.
                for (peer, separate) in separate where run == 1 {
                    guard let whole = try await together(peer, chart, count: separate.count) else { continue }
                    charts[peer, default: []].append((separate, whole))
                }
                try renderer.clear()
            }
        }
        return Comparison(pages: corpus.pages.compactMap { pages[$0] }, startUps: charts.mapValues { StartUp($0) })
    }

    /// One process for the whole chart, if it draws exactly the pages that were drawn one by one.
    private func together(_ peer: Peer, _ chart: [CorpusPage], count: Int) async throws -> Double? {
        guard let first = chart.first, count == chart.count, chart.count > 1, chart.allSatisfy({ $0.width == first.width }) else {
            return nil
        }
        return try await peers.run(peer, 1...chart.count, like: first).cpu
    }

    /// The size of our plain images, divided by libpng's for the same pixels, by class.
    private func sizeFigures() async throws -> [Figure] {
        var figures: [Figure] = []
        for (kind, name) in Self.names where !corpus[kind].isEmpty {
            figures.append(Figure("png_size\(name)/libpng6", unit: "ratio", runs: try await sizeRatios(corpus[kind])))
        }
        return figures
    }

    /// What the names of a class's figures end with.
    private static let names: [(PageClass, String)] = [
        (.engraved, ""), (.grayScan, "_gray_scan"), (.colourScan, "_colour_scan"), (.bilevelScan, "_bilevel_scan"), (.other, "_other"),
    ]

    private func sizeRatios(_ pages: [CorpusPage]) async throws -> [Double] {
        var ratios: [Double] = []
        for page in pages {
            let made = try await renderer.render(page, [.plain])
            let bytes = try AtomicFile.read(made.paths[0], limit: 1 << 30)
            ratios.append(Double(bytes.count) / Double(try DecodedImage(bytes).bytesByLibpng()))
            try renderer.clear()
        }
        return ratios
    }

    private func stages() throws -> [(page: CorpusPage, runs: [StageCosts])] {
        let timer = StageTimer(folder: folder + "/stages")
        return try corpus.charts.flatMap { chart in
            // The first page drawn of a chart loads its fonts.
            if let last = chart.last { _ = try timer.measure(last) }
            var costs = chart.map { (page: $0, runs: [StageCosts]()) }
            for _ in 1...runs {
                for place in costs.indices { costs[place].runs.append(try timer.measure(costs[place].page)) }
            }
            return costs
        }
    }

    private func speedFigures() async throws -> [Figure] {
        let pages = corpus[.engraved]
        guard !pages.isEmpty else { return [] }
        let one = try await Throughput(pages, width: 1, folder: folder + "/one")
        let two = try await Throughput(pages, width: 2, folder: folder + "/two")
        var speeds: [(one: Double, two: Double)] = []
        for _ in 1...runs { speeds.append((try await one.pagesPerSecond(), try await two.pagesPerSecond())) }
        await one.stop()
        await two.stop()
        return [
            Figure("pages_per_second@1", unit: "pages/s", runs: speeds.map(\.one)),
            Figure("pages_per_second@2", unit: "pages/s", runs: speeds.map(\.two)),
            Figure("two_workers_speedup", unit: "ratio", runs: speeds.map { $0.two / $0.one }),
        ]
    }

    /// The most memory of a worker that has only drawn pages of one class, in all variants.
    private func peakFigures() async throws -> [Figure] {
        var figures: [Figure] = []
        let names: [(PageClass, String)] = [
            (.engraved, "worker"), (.grayScan, "gray_scan"), (.colourScan, "colour_scan"), (.bilevelScan, "bilevel"),
        ]
        for (kind, name) in names where !corpus[kind].isEmpty {
            let renderer = try await MeasuredRenderer(width: 1, folder: folder + "/peak")
            for page in corpus[kind] { _ = try await renderer.render(page, Variant.allCases, marks: marks) }
            figures.append(Figure("\(name)_peak_mib", unit: "MiB", runs: [try renderer.peakMebibytes()]))
            await renderer.pool.stop()
            try renderer.clear()
        }
        return figures
    }

    // MARK: - Figures

    private func ratioFigures(_ comparison: Comparison) -> [Figure] {
        let medians = Self.names.map { kind, name in (kind == .engraved ? "plain_thumbnail" : String(name.dropFirst()), kind) }
        let photographs: [(String, PageClass)] = [
            ("photograph_gray_300", .grayScan), ("photograph_colour_300", .colourScan), ("scan_bilevel_600", .bilevelScan),
        ]
        let worst: [(String, PageClass, Peer)] = [
            ("worst_page", .engraved, .pdftocairo), ("worst_page", .engraved, .mutoolGray),
        ]
        return medians.flatMap { name, kind in Peer.allCases.compactMap { comparison.median(name, kind, $0) } }
            + photographs.flatMap { name, kind in Peer.allCases.compactMap { comparison.photographs.median(name, kind, $0) } }
            + worst.compactMap { comparison.worst($0, $1, $2)?.figure }
    }

    private func costFigures(_ comparison: Comparison) -> [Figure] {
        [
            comparison.median("plain_thumbnail_ms", .engraved, \.plainAndThumbnail, \.cpu),
            comparison.median("plain_thumbnail_wall_ms", .engraved, \.plainAndThumbnail, \.wall),
            comparison.median("three_variants_ms", .engraved, \.threeVariants, \.cpu),
            comparison.median("three_variants_wall_ms", .engraved, \.threeVariants, \.wall),
            comparison.median("gray_scan_ms", .grayScan, \.plainAndThumbnail, \.cpu),
            comparison.median("colour_scan_ms", .colourScan, \.plainAndThumbnail, \.cpu),
            comparison.median("bilevel_scan_ms", .bilevelScan, \.plainAndThumbnail, \.cpu),
        ].compactMap { $0 }
    }

    /// The share of each stage over all engraved pages, one value per run.
    private func stageFigures(_ stages: [(page: CorpusPage, runs: [StageCosts])]) -> [Figure] {
        let engraved = stages.filter { $0.page.kind == .engraved }
        guard !engraved.isEmpty else { return [] }
        return StageCosts().named.indices.map { stage in
            let shares = (0..<runs).map { run in
                let costs = engraved.map { $0.runs[run] }
                return costs.reduce(0) { $0 + $1.named[stage].milliseconds } / costs.reduce(0) { $0 + $1.total } * 100
            }
            return Figure("\(StageCosts().named[stage].name)_share", unit: "%", runs: shares)
        }
    }

    private func stageTable(_ stages: [(page: CorpusPage, runs: [StageCosts])]) -> DetailTable {
        DetailTable(
            title: "Stages of plain image and thumbnail, CPU ms and share of the page, medians of the runs",
            columns: ["page", "class"] + StageCosts().named.flatMap { [$0.name, "%"] },
            rows: stages.map { page, runs in
                [page.name, page.kind.rawValue]
                    + StageCosts().named.indices.flatMap { stage in
                        let total = runs.map(\.total).median
                        let own = runs.map { $0.named[stage].milliseconds }.median
                        return [DetailTable.text(own, digits: 2), DetailTable.text(own / total * 100, digits: 0)]
                    }
            })
    }

    private func notes(_ comparison: Comparison) -> [String] {
        let worst = [Peer.pdftocairo, .mutoolGray].compactMap { peer in
            comparison.worst("", .engraved, peer).map { "the worst page against \(peer.rawValue) is \($0.page.name)" }
        }
        let starts = Peer.allCases.compactMap { peer in
            comparison.startUps[peer].map { "\(peer.rawValue) \(DetailTable.text($0.milliseconds, digits: 1))" }
        }
        let counts = PageClass.allCases.map { "\(corpus[$0].count) \($0.rawValue)" }.joined(separator: ", ")
        return ["pages: \(counts)", "subtracted from a peer's process for its start, ms: \(starts.joined(separator: ", "))"] + worst
            + corpus.leftOut
    }
}
