import BenchmarkCorpus
import Glibc
import LibPNG
import Model
import PageCache
import Platform
import Rendering

/// The cost of a new mark, from parsed marks to the renamed file, compared with the cost of the page in peers.
@LoopActor
struct AnnotateBenchmark {
    private static let demoCharts = ["piano-album", "holy-holy-holy-full-score"]

    private let runs: Int
    private let folder: String
    private let renderer: MeasuredRenderer
    private let peers = Peer.installed

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        try await AnnotateBenchmark(request, folder).report(request)
    }

    private init(_ request: BenchmarkRequest, _ folder: String) async throws {
        runs = request.runs(quick: 3, usual: 21)
        self.folder = folder
        for name in ["charts", "peers"] { try Folder.create(folder + "/" + name) }
        renderer = try await MeasuredRenderer(width: 1, folder: folder + "/cache")
    }

    private func report(_ request: BenchmarkRequest) async throws -> BenchmarkReport {
        var notes: [String] = []
        var groups = try CorpusChart.demo(in: folder + "/charts").filter { Self.demoCharts.contains($0.name) }.map { [$0] }
        for folder in request.folders { groups.append(try CorpusChart.all(below: folder)) }
        var pages: [(page: CorpusPage, measured: Measurements)] = []
        for group in groups where !group.isEmpty {
            let corpus = try await Corpus(group, with: renderer)
            notes += corpus.leftOut
            guard let densest = corpus[.engraved].max(by: { $0.plainBytes < $1.plainBytes }) else { continue }
            Log.standardError(from: .info).info("\(runs) runs on \(densest.name)")
            var startUps: [Peer: StartUp] = [:]
            for peer in peers {
                // Use the first pages of the chart, and measure several times, since a start is short compared with a page.
                let chart = corpus.pages.filter { $0.chart == densest.chart }.prefix(4)
                startUps[peer] = try await peer.startUp(on: chart, in: folder + "/peers", runs: 3).map { StartUp([$0]) }
            }
            pages.append((densest, try await measure(densest, startUps)))
            if !startUps.isEmpty { notes.append("\(densest.name): \(StartUp.note(startUps))") }
        }
        await renderer.pool.stop()
        notes.append("pixels are identical to a full render with the same marks in every case")
        notes.append("a figure without a page's name is for the page on which it is highest")
        var measured = Measurements()
        for (place, series) in (pages.first?.measured.series ?? []).enumerated() {
            let worst = pages.map { $0.measured.series[place].runs }.max { $0.median < $1.median }
            measured.add(series.name, series.unit, worst ?? [])
        }
        for (page, figures) in pages { measured += figures.named("@" + page.name.replacing(" ", with: "-")) }
        return BenchmarkReport(measured, beside: Peer.drawing, notes: notes)
    }

    // MARK: - One page

    private func measure(_ page: CorpusPage, _ startUps: [Peer: StartUp]) async throws -> Measurements {
        try await renderer.warmUp(for: page)
        let plain = try await renderer.render(page, [.plain, .thumbnail]).paths[0]
        let cases = try await cases(on: page, plain)
        for each in cases { try await verify(each, on: page, plain) }
        var measured = Measurements()
        for _ in 1...runs {
            var smallMark = 0.0
            for each in cases {
                let made = try await annotate(page, plain, each.marks, after: each.previous)
                measured.add("\(each.name)_ms", "ms", made.cost.wall)
                if each.name == Self.smallMark {
                    smallMark = made.cost.wall
                    measured.add("small_mark_cpu_ms", "ms", made.cost.cpu)
                    let writing = try await write(like: made.paths[0], page)
                    measured.add("write_rename_ms", "ms", writing)
                    measured.add("small_mark_beyond_write_ms", "ms", smallMark - writing)
                }
                try remove(each.marks, page)
            }
            for peer in peers {
                let cost = try await peer.run(page.index.number...page.index.number, like: page, in: folder + "/peers")
                let share = (startUps[peer] ?? StartUp([])).share(of: cost.wall, pageCount: page.pageCount)
                measured.add("small_mark/\(peer.rawValue)", "ratio", smallMark / share)
            }
        }
        try renderer.clear()
        return measured
    }

    private static let smallMark = "small_mark"

    /// An existing annotated image, and the marks that it shows.
    private typealias Predecessor = (path: String, marks: PageMarks)

    /// A kind of mark to measure. `isGray` is whether the page has only pencil marks.
    private typealias Case = (name: String, previous: Predecessor, marks: PageMarks, isGray: Bool)

    /// For each kind of mark that is measured: a page with many marks, and the same marks with one of that kind added.
    private func cases(on page: CorpusPage, _ plain: String) async throws -> [Case] {
        let (blue, pencil) = (Color(red: 0x1a, green: 0x5f, blue: 0xb4), Color(red: 0x50, green: 0x50, blue: 0x50))
        func worn(_ color: Color) async throws -> Predecessor {
            let marks = try Self.pageMarks(SampleMarks.worn(color: color))
            return (try await annotate(page, plain, marks, after: nil).paths[0], marks)
        }
        func added(_ name: String, _ mark: Mark, to previous: Predecessor, isGray: Bool = false) throws -> Case {
            (name, previous, try Self.pageMarks(previous.marks.marks + [mark]), isGray)
        }
        let (coloured, penciled) = (try await worn(blue), try await worn(pencil))
        return try [
            // A mark of about 60 pixels, a circle of 500 pixels, and a line from top to bottom, in the colour of the existing marks.
            added(Self.smallMark, SampleMarks.circle(60, color: blue), to: coloured),
            added("medium_mark", SampleMarks.circle(500, color: blue), to: coloured),
            added("full_mark", SampleMarks.full(color: blue), to: coloured),
            // On a page with only pencil marks, whose image is gray: one more pencil mark, and a first coloured one.
            added("small_pencil_mark", SampleMarks.circle(60, color: pencil), to: penciled, isGray: true),
            added("first_colour_mark", SampleMarks.circle(60, color: blue), to: penciled),
        ]
    }

    private static func pageMarks(_ marks: [Mark]) throws -> PageMarks {
        try PageMarks(drawing: marks).required("the sample marks leave nothing on the page")
    }

    /// Makes the annotated image of a page from its existing plain image, as the agent does when marks have changed.
    private func annotate(
        _ page: CorpusPage, _ plain: String, _ marks: PageMarks, after previous: Predecessor?
    ) async throws -> MeasuredRenderer.Made {
        try await renderer.make(page, [.annotated], marks: marks) { outputs in
            let plainFile = try Descriptor.open(plain, O_RDONLY)
            let file = try previous.map { OwnedDescriptors([try Descriptor.open($0.path, O_RDONLY).release()]) }
            let former = file.flatMap { file in
                previous.map { ComposeJob.Previous(descriptor: file.numbers[0], key: Self.key($0.path), marks: $0.marks) }
            }
            _ = try await renderer.pool.compose(
                ComposeJob(plain: plainFile.number, plainKey: Self.key(plain), previous: former, marks: marks, output: outputs[0]))
            withExtendedLifetime(file) {}
        }
    }

    /// The beginning of the key, which the image's file name ends with.
    private static func key(_ path: String) -> String { String(path.dropLast(".png".count).suffix(32)) }

    private func verify(_ each: Case, on page: CorpusPage, _ plain: String) async throws {
        func pixels(_ path: String) throws -> DecodedPNG { try DecodedPNG(ours: try AtomicFile.read(path, limit: 1 << 30)) }
        let composed = try pixels(try await annotate(page, plain, each.marks, after: each.previous).paths[0])
        try remove(each.marks, page)
        let drawn = try pixels(try await renderer.render(page, [.annotated], marks: each.marks).paths[0])
        try remove(each.marks, page)
        let name = "\(page.name), \(each.name)"
        try require(composed == drawn, "\(name): the image has other pixels than a full render with the same marks")
        // The case only counts if the image has the colours that its name promises.
        try require((drawn.channels == 1) == each.isGray, "\(name): the image should be \(each.isGray ? "gray" : "coloured")")
    }

    /// The cost of only writing and renaming a file of the same size in the same folder.
    private func write(like path: String, _ page: CorpusPage) async throws -> Double {
        let bytes = try AtomicFile.read(path, limit: 1 << 30)
        let name = renderer.name(page, .thumbnail).image
        defer { try? renderer.cache.remove(name) }
        return try await renderer.measure {
            let file = try renderer.cache.begin(name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try renderer.cache.publish(file, as: name)
        }.wall
    }

    private func remove(_ marks: PageMarks, _ page: CorpusPage) throws {
        try renderer.cache.remove(renderer.name(page, .annotated, marks: marks).image)
    }
}
