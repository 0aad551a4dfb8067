import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform
import Rendering

/// What a new mark costs, from having the marks to renaming the file, compared with what peers take to draw the page.
@LoopActor
struct AnnotateBenchmark {
    /// A peer's start is measured on the first pages of a chart, and several times, since it is short compared with a page.
    private static let mostPagesForStartUp = 4
    private static let runsForStartUp = 3
    private static let demoCharts = ["piano-album", "holy-holy-holy-full-score"]

    private let runs: Int
    private let folder: String
    private let renderer: MeasuredRenderer
    private let peers: [Peer]

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        try await AnnotateBenchmark(request, folder).report(request)
    }

    private init(_ request: BenchmarkRequest, _ folder: String) async throws {
        runs = request.number(.runs, quick: 3, usual: 21)
        self.folder = folder
        for name in ["charts", "peers"] { try Folder.create(folder + "/" + name) }
        peers = try await Peer.installed().filter { MarkedPageRuns.peers.contains($0) }
        renderer = try await MeasuredRenderer(width: 1, folder: folder + "/cache")
    }

    private func report(_ request: BenchmarkRequest) async throws -> BenchmarkReport {
        var notes: [String] = []
        var groups = try CorpusChart.demo(in: folder + "/charts").filter { Self.demoCharts.contains($0.name) }.map { [$0] }
        for folder in request.folders { groups.append(try CorpusChart.all(below: folder)) }
        var pages: [MarkedPageRuns] = []
        for group in groups where !group.isEmpty {
            let corpus = try await Corpus(group, with: renderer)
            notes += corpus.leftOut
            guard let densest = corpus[.engraved].max(by: { $0.plainBytes < $1.plainBytes }) else { continue }
            Log.standardError(from: .info).info("\(runs) runs on \(densest.name)")
            pages.append(try await measure(densest, of: corpus.pages.filter { $0.chart == densest.chart }))
        }
        await renderer.pool.stop()
        notes.append("pixels are identical to a full render with the same marks in every case")
        notes.append("a figure without a page's name is for the page on which it is highest")
        for page in pages where !page.startUps.isEmpty {
            let starts = MarkedPageRuns.peers.compactMap { peer in
                page.startUps[peer].map { "\(peer.rawValue) \(BenchmarkReport.text($0.milliseconds, digits: 1))" }
            }
            notes.append("\(page.page.name): subtracted from a peer's process for its start, ms: \(starts.joined(separator: ", "))")
        }
        let missing = MarkedPageRuns.peers.filter { !peers.contains($0) }.map(\.rawValue)
        return BenchmarkReport(missing: missing, figures: MarkedPageRuns.figures(pages), notes: notes)
    }

    // MARK: - One page

    private func measure(_ page: CorpusPage, of chart: [CorpusPage]) async throws -> MarkedPageRuns {
        try await renderer.warmUp(for: page)
        let plain = try await renderer.render(page, [.plain, .thumbnail]).paths[0]
        let annotator = Annotator(renderer: renderer, page: page, plain: plain)
        let cases = try await cases(annotator)
        for each in cases { try await verify(each, by: annotator) }
        var result = MarkedPageRuns(page: page)
        for peer in peers {
            let pages = chart.prefix(Self.mostPagesForStartUp)
            let startUp = try await peer.startUp(on: pages, in: folder + "/peers", runs: Self.runsForStartUp)
            result.startUps[peer] = startUp.map { StartUp([$0]) }
        }
        for _ in 1...runs {
            for each in cases {
                let made = try await annotator.annotate(each.marks, after: each.previous)
                result.costs[each.kind, default: []].append(made.cost)
                if each.kind == .small { result.writing.append(try await write(like: made.paths[0], page)) }
                try remove(each.marks, page)
            }
            for peer in peers {
                let cost = try await peer.run(page.index.number...page.index.number, like: page, in: folder + "/peers")
                result.peers[peer, default: []].append(cost.wall)
            }
        }
        try renderer.clear()
        return result
    }

    private struct Case {
        let kind: MarkedPageRuns.Kind
        let previous: Annotator.Predecessor
        let marks: PageMarks
    }

    /// A worn page with one more mark, for each kind that is measured.
    private func cases(_ annotator: Annotator) async throws -> [Case] {
        let blue = Color(red: 0x1a, green: 0x5f, blue: 0xb4)
        let pencil = Color(red: 0x50, green: 0x50, blue: 0x50)
        let coloured = try await worn(blue, annotator)
        let penciled = try await worn(pencil, annotator)
        let cases: [(MarkedPageRuns.Kind, Annotator.Predecessor, Mark)] = [
            (.small, coloured, SampleMarks.circle(60, color: blue)), (.medium, coloured, SampleMarks.circle(500, color: blue)),
            (.full, coloured, SampleMarks.full(color: blue)), (.smallPencil, penciled, SampleMarks.circle(60, color: pencil)),
            (.firstColour, penciled, SampleMarks.circle(60, color: blue)),
        ]
        return try cases.map { kind, previous, mark in
            Case(kind: kind, previous: previous, marks: try Self.pageMarks(previous.marks.marks + [mark]))
        }
    }

    private func worn(_ color: Color, _ annotator: Annotator) async throws -> Annotator.Predecessor {
        let marks = try Self.pageMarks(SampleMarks.worn(color: color))
        return Annotator.Predecessor(path: try await annotator.annotate(marks, after: nil).paths[0], marks: marks)
    }

    private static func pageMarks(_ marks: [Mark]) throws -> PageMarks {
        guard let marks = PageMarks(drawing: marks) else { throw BenchmarkFailure("the sample marks leave nothing on the page") }
        return marks
    }

    /// Compares the image to which the marks were added with the page drawn from scratch, both decoded by libpng.
    private func verify(_ each: Case, by annotator: Annotator) async throws {
        let page = annotator.page
        func pixels(_ path: String) throws -> DecodedImage { try DecodedImage(try AtomicFile.read(path, limit: 1 << 30)) }
        let composed = try pixels(try await annotator.annotate(each.marks, after: each.previous).paths[0])
        try remove(each.marks, page)
        let drawn = try pixels(try await renderer.render(page, [.annotated], marks: each.marks).paths[0])
        try remove(each.marks, page)
        guard composed == drawn else {
            throw BenchmarkFailure("\(page.name), \(each.kind.rawValue): the image has other pixels than a full render with the same marks")
        }
        // The case only counts if the colours are what its name says.
        guard drawn.isGray == (each.kind == .smallPencil) else {
            throw BenchmarkFailure("\(page.name), \(each.kind.rawValue): the image should be \(drawn.isGray ? "coloured" : "gray")")
        }
    }

    /// Just writing and renaming a file of the same size in the same folder.
    private func write(like path: String, _ page: CorpusPage) async throws -> Double {
        let bytes = try AtomicFile.read(path, limit: 1 << 30)
        let name = renderer.name(page.chart, page.index, .thumbnail).image
        defer { try? renderer.cache.remove(name) }
        return try await renderer.measure {
            let file = try renderer.cache.begin(name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try renderer.cache.publish(file, as: name)
        }.wall
    }

    private func remove(_ marks: PageMarks, _ page: CorpusPage) throws {
        try renderer.cache.remove(renderer.name(page.chart, page.index, .annotated, marks: marks).image)
    }
}

/// Makes the annotated image of a page that already has its plain image, as the agent does when marks have changed.
@LoopActor
private struct Annotator {
    /// An annotated image that already exists, and the marks that it shows.
    struct Predecessor: Sendable {
        let path: String
        let marks: PageMarks
    }

    let renderer: MeasuredRenderer
    let page: CorpusPage
    /// The path of the page's plain image.
    let plain: String

    /// Makes the image, from having the marks to renaming the file: what it cost, and where the image is.
    func annotate(_ marks: PageMarks, after previous: Predecessor?) async throws -> MeasuredRenderer.Made {
        let name = renderer.name(page.chart, page.index, .annotated, marks: marks)
        let cost = try await renderer.measure {
            let file = try renderer.cache.begin(name.image)
            let output = PageJob.Output(.annotated, key: name.key, descriptor: file.descriptor)
            try await annotate(marks, after: previous, into: output)
            try renderer.cache.publish(file, as: name.image)
        }
        return MeasuredRenderer.Made(cost: cost, paths: [renderer.cache.path(of: name.image)])
    }

    private func annotate(_ marks: PageMarks, after previous: Predecessor?, into output: PageJob.Output) async throws {
        let plain = try Descriptor.open(plain, O_RDONLY)
        let file = try previous.map { OwnedDescriptors([try Descriptor.open($0.path, O_RDONLY).release()]) }
        let former = file.flatMap { file in
            previous.map { ComposeJob.Previous(descriptor: file.numbers[0], key: Self.key($0.path), marks: $0.marks) }
        }
        let plainKey = Self.key(self.plain)
        _ = try await renderer.pool.compose(
            ComposeJob(plain: plain.number, plainKey: plainKey, previous: former, marks: marks, output: output))
        withExtendedLifetime(file) {}
    }

    /// The beginning of the key at the end of an image's name.
    private static func key(_ path: String) -> String { String(path.dropLast(".png".count).suffix(32)) }
}

/// What new marks cost on one page in each run, and the peers' time for that page.
struct MarkedPageRuns: Sendable {
    static let peers = [Peer.pdftocairo, .mutoolGray]

    /// Which mark is added to which page.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// About 60 pixels, coloured, on a page with coloured marks.
        case small = "small_mark"
        /// A circle of 500 pixels.
        case medium = "medium_mark"
        /// From top to bottom.
        case full = "full_mark"
        /// A small pencil mark, on a page with nothing but pencil on it.
        case smallPencil = "small_pencil_mark"
        /// A small coloured mark on a page with nothing but pencil on it, so its image was gray.
        case firstColour = "first_colour_mark"
    }

    let page: CorpusPage
    var startUps: [Peer: StartUp] = [:]
    var costs: [Kind: [Cost]] = [:]
    /// Milliseconds to write and rename a file as large as the small mark's image, measured right afterwards.
    var writing: [Double] = []
    /// Wall time in milliseconds of a process for this page alone.
    var peers: [Peer: [Double]] = [:]

    /// What was measured on this page; the names of the figures end with the page's, if it is to be named.
    private func figures(suffix: String) -> [Figure] {
        let small = costs[.small] ?? []
        let ratios = Self.peers.compactMap { peer -> Figure? in
            guard let times = peers[peer] else { return nil }
            let startUp = startUps[peer] ?? StartUp([])
            let runs = zip(small, times).map { $0.wall / startUp.share(of: $1, pageCount: page.pageCount) }
            return Figure("small_mark/\(peer.rawValue)\(suffix)", unit: "ratio", runs: runs)
        }
        return ratios
            + Kind.allCases.map { Figure("\($0.rawValue)_ms\(suffix)", unit: "ms", runs: (costs[$0] ?? []).map(\.wall)) } + [
                Figure("small_mark_cpu_ms\(suffix)", unit: "ms", runs: small.map(\.cpu)),
                Figure("write_rename_ms\(suffix)", unit: "ms", runs: writing),
                Figure("small_mark_beyond_write_ms\(suffix)", unit: "ms", runs: zip(small, writing).map { $0.wall - $1 }),
            ]
    }

    /// Each figure for the page where it is highest, then for every page by name.
    static func figures(_ pages: [MarkedPageRuns]) -> [Figure] {
        let unnamed = pages.map { $0.figures(suffix: "") }
        let worst = (unnamed.first ?? []).indices.compactMap { place in unnamed.map { $0[place] }.max { $0.value < $1.value } }
        return worst + pages.flatMap { $0.figures(suffix: "@\($0.page.name.replacing(" ", with: "-"))") }
    }
}
