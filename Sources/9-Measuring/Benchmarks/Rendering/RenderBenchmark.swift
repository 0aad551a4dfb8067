import BenchmarkCorpus
import Glibc
import Model
import PageRaster
import Platform
import Rendering

/// What pages cost: ours with real workers, and the peers' in turn with them, run by run.
@LoopActor
struct RenderBenchmark {
    private let runs: Int
    private let folder: String
    private let renderer: MeasuredRenderer
    private let corpus: Corpus
    private let peers: [Peer]
    private let marks: PageMarks?

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        try await RenderBenchmark(request, folder).report()
    }

    private init(_ request: BenchmarkRequest, _ folder: String) async throws {
        runs = request.runs(quick: 1, usual: 3)
        self.folder = folder
        for name in ["charts", "peers", "stages"] { try Folder.create(folder + "/" + name) }
        peers = try await Peer.installed()
        renderer = try await MeasuredRenderer(width: 1, folder: folder + "/cache")
        var charts = try CorpusChart.demo(in: folder + "/charts")
        charts += try CorpusChart.photographs(of: charts, in: folder + "/charts")
        for folder in request.folders { charts += try CorpusChart.all(below: folder) }
        corpus = try await Corpus(charts, with: renderer, comparesSizes: true)
        marks = PageMarks(drawing: SampleMarks.worn(color: Color(red: 0x1a, green: 0x5f, blue: 0xb4)))
    }

    private func report() async throws -> BenchmarkReport {
        let comparison = try await compare()
        await renderer.pool.stop()
        var measured = Measurements()
        try await measureSpeed(&measured)
        try await measurePeaks(&measured)
        // The size of our plain images, divided by libpng's for the same pixels, by class.
        for (kind, _, name) in Self.names { measured.add("png_size\(name)/libpng6", "ratio", corpus[kind].compactMap(\.sizeByLibpng)) }
        try measureStages(&measured)
        return BenchmarkReport(
            missing: Peer.allCases.filter { !peers.contains($0) }.map(\.rawValue),
            figures: ratioFigures(comparison) + costFigures(comparison) + measured.figures, notes: notes(comparison))
    }

    // MARK: - Measuring

    /// Measures ours and every peer's in turn, page by page, as often as asked for.
    private func compare() async throws -> Comparison {
        var pages: [CorpusPage: PageRuns] = [:]
        var charts: [Peer: [(separate: [Double], together: Double)]] = [:]
        for run in 1...runs {
            Log.standardError(from: .info).info("run \(run) of \(runs), \(corpus.pages.count) pages")
            for chart in corpus.charts {
                for page in chart {
                    var costs = pages[page] ?? PageRuns(page: page)
                    try await renderer.warmUp(for: page)
                    costs.plainAndThumbnail.append(try await renderer.render(page, [.plain, .thumbnail]).cost)
                    try await renderer.warmUp(for: page)
                    costs.threeVariants.append(try await renderer.render(page, Variant.allCases, marks: marks).cost)
                    for peer in peers where Peer.suited(to: page.kind).contains(peer) {
                        let cost = try await peer.run(page.index.number...page.index.number, like: page, in: folder + "/peers")
                        costs.peers[peer, default: []].append(cost.cpu)
                    }
                    pages[page] = costs
                }
                // Once is enough, since the cost of a start is the median over the charts.
                for peer in peers where run == 1 {
                    guard let startUp = try await peer.startUp(on: chart, in: folder + "/peers") else { continue }
                    charts[peer, default: []].append(startUp)
                }
                try renderer.clear()
            }
        }
        return Comparison(pages: corpus.pages.compactMap { pages[$0] }, startUps: charts.mapValues { StartUp($0) })
    }

    /// What the figures of a class are called: its ratio, and its part in the names of others.
    private static let names: [(kind: PageClass, ratio: String, part: String)] = [
        (.engraved, "plain_thumbnail", ""), (.grayScan, "gray_scan", "_gray_scan"), (.colourScan, "colour_scan", "_colour_scan"),
        (.bilevelScan, "bilevel_scan", "_bilevel_scan"), (.other, "other", "_other"),
    ]

    /// How many pages per second a pool makes when it is never short of work, with one worker and with two.
    private func measureSpeed(_ measured: inout Measurements) async throws {
        let pages = corpus[.engraved]
        guard !pages.isEmpty else { return }
        // A single pass over few pages would be over too quickly to be measured.
        let work = [[CorpusPage]](repeating: pages, count: (60 + pages.count - 1) / pages.count).flatMap(\.self)
        var pools: [MeasuredRenderer] = []
        for width in 1...2 { pools.append(try await MeasuredRenderer(width: width, folder: folder + "/width\(width)")) }
        let (one, two) = ("pages_per_second@1", "pages_per_second@2")
        // First once without being counted, so that all workers are started and warm.
        for run in 0...runs {
            let speeds = [try await pools[0].pagesPerSecond(work, width: 1), try await pools[1].pagesPerSecond(work, width: 2)]
            guard run > 0 else { continue }
            measured.add(one, "pages/s", speeds[0])
            measured.add(two, "pages/s", speeds[1])
        }
        for pool in pools { await pool.pool.stop() }
        measured.compare("two_workers_speedup", two, over: one)
    }

    /// The most memory of a worker that has only drawn pages of one class, in all variants.
    private func measurePeaks(_ measured: inout Measurements) async throws {
        let names: [(PageClass, String)] = [
            (.engraved, "worker"), (.grayScan, "gray_scan"), (.colourScan, "colour_scan"), (.bilevelScan, "bilevel"),
        ]
        for (kind, name) in names where !corpus[kind].isEmpty {
            let renderer = try await MeasuredRenderer(width: 1, folder: folder + "/peak")
            for page in corpus[kind] { _ = try await renderer.render(page, Variant.allCases, marks: marks) }
            let peaks = try renderer.pool.processes.map { try ProcessFigures.peakMebibytes(of: $0) }
            measured.add("\(name)_peak_mib", "MiB", peaks.max() ?? 0)
            await renderer.pool.stop()
            try renderer.clear()
        }
    }

    /// The share of each stage in the CPU time of all engraved pages, one value per run.
    private func measureStages(_ measured: inout Measurements) throws {
        guard !corpus[.engraved].isEmpty else { return }
        var sums = [[Double]](repeating: [Double](repeating: 0, count: StageTimer.stages.count), count: runs)
        for chart in corpus.charts where chart.contains(where: { $0.kind == .engraved }) {
            let timer = try StageTimer(chart[0].chart, folder: folder + "/stages")
            // The first page drawn of a chart loads its fonts.
            _ = try timer.measure(chart[chart.count - 1])
            for run in 0..<runs {
                for page in chart where page.kind == .engraved { sums[run] = zip(sums[run], try timer.measure(page)).map { $0 + $1 } }
            }
        }
        for (stage, name) in StageTimer.stages.enumerated() {
            measured.add("\(name)_share", "%", sums.map { $0[stage] / $0.reduce(0, +) * 100 })
        }
    }

    // MARK: - Figures

    private func ratioFigures(_ comparison: Comparison) -> [Figure] {
        let photographs: [(String, PageClass)] = [
            ("photograph_gray_300", .grayScan), ("photograph_colour_300", .colourScan), ("scan_bilevel_600", .bilevelScan),
        ]
        return Self.names.flatMap { kind, name, _ in Peer.allCases.compactMap { comparison.median(name, kind, $0) } }
            + photographs.flatMap { name, kind in Peer.allCases.compactMap { comparison.photographs.median(name, kind, $0) } }
            + [Peer.pdftocairo, .mutoolGray].compactMap { comparison.worst($0)?.figure }
    }

    private func costFigures(_ comparison: Comparison) -> [Figure] {
        // Pages of other kinds have nothing in common that a median could tell.
        let cpu = Self.names.filter { $0.kind != .other }.map { kind, name, _ in
            comparison.median("\(name)_ms", unit: "ms", kind) { $0.plainAndThumbnail.map(\.cpu) }
        }
        let others = [
            comparison.median("plain_thumbnail_wall_ms", unit: "ms", .engraved) { $0.plainAndThumbnail.map(\.wall) },
            comparison.median("three_variants_ms", unit: "ms", .engraved) { $0.threeVariants.map(\.cpu) },
            comparison.median("three_variants_wall_ms", unit: "ms", .engraved) { $0.threeVariants.map(\.wall) },
        ]
        return (cpu + others).compactMap(\.self)
    }

    private func notes(_ comparison: Comparison) -> [String] {
        let worst = [Peer.pdftocairo, .mutoolGray].compactMap { peer in
            comparison.worst(peer).map { "the worst page against \(peer.rawValue) is \($0.page.name)" }
        }
        let counts = PageClass.allCases.map { "\(corpus[$0].count) \($0.rawValue)" }.joined(separator: ", ")
        return ["pages: \(counts)", StartUp.note(comparison.startUps)] + worst + corpus.leftOut
    }
}

/// Makes pages in this process, stage by stage, with the worker's own parts.
final class StageTimer {
    static let stages = ["raster", "downscale", "encode", "write"]

    private let plain = Raster()
    private let encoder = PNGEncoder()
    private let settings = RenderSettings()
    private let chart: ChartDocument
    private let key: ImageKey
    private let folder: String

    /// For pages of this chart; images go to `folder`.
    init(_ chart: CorpusChart, folder: String) throws {
        let file = try Descriptor.open(chart.path, O_RDONLY)
        self.chart = try ChartDocument(descriptor: file.number)
        key = ImageKey(chart.hash.digest)
        self.folder = folder
    }

    /// The CPU milliseconds that each stage of a page's plain image and thumbnail takes.
    func measure(_ page: CorpusPage) throws -> [Double] {
        let size = try chart.geometry(of: page.index.value).pixels(longSide: settings.thumbnailSize)
        var images: [[UInt8]] = []
        let raster = try time { _ = try chart.draw(page: page.index.value, longSide: settings.fullSize, into: plain) }
        // Compressing counts as encoding: the thumbnail is made from rows that are packed in any case.
        let encode = try time { images = [try encoder.encode(plain, key: key)] }
        let downscale = try time { encoder.shrink(width: size.width, height: size.height) }
        let rest = try time { images.append(encoder.encodeShrunk(key: key)) }
        let write = try time {
            for (number, image) in images.enumerated() {
                try image.withUnsafeBytes { try AtomicFile.write($0, to: folder + "/\(number).png", durability: .none) }
            }
        }
        return [raster, downscale, encode + rest, write]
    }

    private func time(_ stage: () throws -> Void) throws -> Double {
        let start = ProcessFigures.cpuMilliseconds
        try stage()
        return ProcessFigures.cpuMilliseconds - start
    }
}
