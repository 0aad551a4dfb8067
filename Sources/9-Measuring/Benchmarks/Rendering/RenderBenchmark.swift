import BenchmarkCorpus
import Glibc
import Model
import PageRaster
import Platform
import Rendering

/// The cost of pages drawn by real workers, and by the peers in turn with them.
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
        peers = Peer.installed
        renderer = try await MeasuredRenderer(width: 1, folder: folder + "/cache")
        var charts = try CorpusChart.demo(in: folder + "/charts")
        charts += try CorpusChart.photographs(of: charts, in: folder + "/charts")
        for folder in request.folders { charts += try CorpusChart.all(below: folder) }
        corpus = try await Corpus(charts, with: renderer, comparesSizes: true)
        marks = PageMarks(drawing: SampleMarks.worn(color: Color(red: 0x1a, green: 0x5f, blue: 0xb4)))
    }

    private func report() async throws -> BenchmarkReport {
        let comparison = try await compare()
        var measured = Measurements()
        try await SongCost.measure(runs: max(5, runs), with: renderer, in: folder, into: &measured)
        await renderer.pool.stop()
        addRatios(comparison, to: &measured)
        addCosts(comparison, to: &measured)
        try await measureSpeed(&measured)
        try await measurePeaks(&measured)
        // The size of our plain images, divided by libpng's for the same pixels, by class.
        for (kind, _, name) in Self.names { measured.add("png_size\(name)/libpng6", "ratio", corpus[kind].compactMap(\.sizeByLibpng)) }
        try measureStages(&measured)
        return BenchmarkReport(measured, beside: Peer.drawing, notes: notes(comparison))
    }

    // MARK: - Measuring

    private func compare() async throws -> Comparison {
        var pages: [CorpusPage: Measurements] = [:]
        var charts: [Peer: [(separate: [Double], together: Double)]] = [:]
        for run in 1...runs {
            Log.standardError(from: .info).info("run \(run) of \(runs), \(corpus.pages.count) pages")
            for chart in corpus.charts {
                for page in chart {
                    for (name, variants) in [("plain_thumbnail", [.plain, .thumbnail]), ("three_variants", Variant.allCases)] {
                        try await renderer.warmUp(for: page)
                        let cost = try await renderer.render(page, variants, marks: variants.contains(.annotated) ? marks : nil).cost
                        pages[page, default: Measurements()].add("\(name)_ms", "ms", cost.cpu)
                        pages[page, default: Measurements()].add("\(name)_wall_ms", "ms", cost.wall)
                    }
                    for peer in peers {
                        let cost = try await peer.run(page.index.number...page.index.number, like: page, in: folder + "/peers")
                        pages[page, default: Measurements()].add(peer.rawValue, "ms", cost.cpu)
                    }
                }
                // One run is enough, since the cost of a start is the median over the charts.
                for peer in peers where run == 1 {
                    guard let startUp = try await peer.startUp(on: chart, in: folder + "/peers") else { continue }
                    charts[peer, default: []].append(startUp)
                }
                try renderer.clear()
            }
        }
        return Comparison(pages: pages, startUps: charts.mapValues { StartUp($0) })
    }

    /// For each class, the name of its ratio, and the part for it in the names of other figures.
    private static let names: [(kind: PageClass, ratio: String, part: String)] = [
        (.engraved, "plain_thumbnail", ""), (.grayScan, "gray_scan", "_gray_scan"), (.colourScan, "colour_scan", "_colour_scan"),
        (.bilevelScan, "bilevel_scan", "_bilevel_scan"), (.other, "other", "_other"),
    ]

    /// The pages per second of a pool that always has work, with one worker and with two.
    private func measureSpeed(_ measured: inout Measurements) async throws {
        let pages = corpus[.engraved]
        guard !pages.isEmpty else { return }
        // A single pass over few pages would be too short to measure.
        let work = [[CorpusPage]](repeating: pages, count: (60 + pages.count - 1) / pages.count).flatMap(\.self)
        var pools: [MeasuredRenderer] = []
        for width in 1...2 { pools.append(try await MeasuredRenderer(width: width, folder: folder + "/width\(width)")) }
        // The first pass is not counted: it starts and warms all workers.
        for run in 0...runs {
            for (pool, width) in zip(pools, 1...2) {
                let speed = try await pool.pagesPerSecond(work, width: width)
                if run > 0 { measured.add("pages_per_second@\(width)", "pages/s", speed) }
            }
        }
        for pool in pools { await pool.pool.stop() }
        measured.compare("two_workers_speedup", "pages_per_second@2", over: "pages_per_second@1")
    }

    /// The peak memory of a worker that has only drawn pages of one class, in all variants.
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
        let stages = ["raster", "downscale", "encode", "write"]
        guard !corpus[.engraved].isEmpty else { return }
        var sums = [[Double]](repeating: stages.map { _ in 0 }, count: runs)
        for chart in corpus.charts where chart.contains(where: { $0.kind == .engraved }) {
            let file = try Descriptor.open(chart[0].chart.path, O_RDONLY)
            let (document, raster, encoder) = (try ChartDocument(descriptor: file.number), Raster(), PNGEncoder())
            // Draw a page that does not count, since the first page drawn of a chart also loads its fonts.
            _ = try timeStages(of: chart[chart.count - 1], document, raster, encoder)
            for run in 0..<runs {
                for page in chart where page.kind == .engraved {
                    sums[run] = zip(sums[run], try timeStages(of: page, document, raster, encoder)).map { $0 + $1 }
                }
            }
        }
        for (stage, name) in stages.enumerated() { measured.add("\(name)_share", "%", sums.map { $0[stage] / $0.reduce(0, +) * 100 }) }
    }

    /// Makes a page's plain image and thumbnail in this process, with the worker's own code. Returns the CPU milliseconds of each stage.
    private func timeStages(of page: CorpusPage, _ chart: ChartDocument, _ raster: Raster, _ encoder: PNGEncoder) throws -> [Double] {
        let settings = RenderSettings()
        let key = ImageKey(page.chart.hash.digest)
        let size = try chart.geometry(of: page.index.value).pixels(longSide: settings.thumbnailSize)
        var last = ProcessFigures.cpuMilliseconds
        func lap() -> Double {
            defer { last = ProcessFigures.cpuMilliseconds }
            return ProcessFigures.cpuMilliseconds - last
        }
        _ = try chart.draw(page: page.index.value, longSide: settings.fullSize, into: raster)
        let drawing = lap()
        // Packing and compressing the rows counts as encoding, although the thumbnail is made from the packed rows, too.
        let image = try encoder.encode(raster, key: key)
        let encoding = lap()
        encoder.shrink(width: size.width, height: size.height)
        let shrinking = lap()
        let thumbnail = encoder.encodeShrunk(key: key)
        let rest = lap()
        for (name, image) in [("page", image), ("thumbnail", thumbnail)] {
            try image.withUnsafeBytes { try AtomicFile.write($0, to: folder + "/stages/\(name).png", durability: .none) }
        }
        return [drawing, shrinking, encoding + rest, lap()]
    }

    // MARK: - Figures

    private func addRatios(_ comparison: Comparison, to measured: inout Measurements) {
        let photographs: [(kind: PageClass, ratio: String)] = [
            (.grayScan, "photograph_gray_300"), (.colourScan, "photograph_colour_300"), (.bilevelScan, "scan_bilevel_600"),
        ]
        for (comparison, names) in [(comparison, Self.names.map { ($0.kind, $0.ratio) }), (comparison.photographs, photographs)] {
            for (kind, name) in names {
                for peer in Peer.drawing { measured.add("\(name)/\(peer.rawValue)", "ratio", comparison.medians(kind, peer)) }
            }
        }
        for peer in Peer.drawing {
            measured.add("worst_page/\(peer.rawValue)", "ratio", comparison.worst(peer)?.ratios ?? [])
        }
    }

    private func addCosts(_ comparison: Comparison, to measured: inout Measurements) {
        // Pages of the class `other` are too different for a meaningful median.
        for (kind, name, _) in Self.names where kind != .other {
            measured.add("\(name)_ms", "ms", comparison.medians(kind, "plain_thumbnail_ms"))
        }
        for name in ["plain_thumbnail_wall_ms", "three_variants_ms", "three_variants_wall_ms"] {
            measured.add(name, "ms", comparison.medians(.engraved, name))
        }
    }

    private func notes(_ comparison: Comparison) -> [String] {
        let worst = Peer.drawing.compactMap { peer in
            comparison.worst(peer).map { "the worst page against \(peer.rawValue) is \($0.page.name)" }
        }
        let counts = PageClass.allCases.map { "\(corpus[$0].count) \($0.rawValue)" }.joined(separator: ", ")
        return ["pages: \(counts)", StartUp.note(comparison.startUps)] + worst + corpus.leftOut
    }
}
