import BenchmarkCorpus
import Glibc
import LibPNG
import Model
import PageCache
import Platform
import Rendering

/// A page to measure with.
struct CorpusPage: Hashable, Sendable {
    let chart: CorpusChart
    let index: PageIndex
    /// How many pages its chart has.
    let pageCount: Int
    /// The size of its full image.
    let width: Int
    let height: Int
    let kind: PageClass
    /// The bytes of its plain image.
    let plainBytes: Int
    /// The same in proportion to what libpng makes of its pixels, if that was asked for.
    var sizeByLibpng: Double?

    var name: String { pageCount == 1 ? chart.name : "\(chart.name) \(index.number)" }
}

/// The pages to measure, in the order of their charts.
struct Corpus: Sendable {
    /// The pages, grouped by chart.
    private(set) var charts: [[CorpusPage]] = []
    /// What could not be opened or drawn, a sentence each.
    private(set) var leftOut: [String] = []

    /// Opens and draws every chart once: this shows sizes and colours, and what cannot be measured.
    @LoopActor
    init(_ files: [CorpusChart], with renderer: MeasuredRenderer, comparesSizes: Bool = false) async throws {
        var known: Set<ChartHash> = []
        for chart in files where known.insert(chart.hash).inserted {
            do {
                let pages = try await Self.pages(of: chart, with: renderer, comparesSizes)
                if !pages.isEmpty { charts.append(pages) }
            } catch let failure as RenderFailure {
                leftOut.append("left out: \(chart.path): \(failure)")
            }
        }
        guard !pages.isEmpty else { throw BenchmarkFailure("there is no page to measure") }
    }

    var pages: [CorpusPage] { charts.flatMap(\.self) }

    /// The pages of one class.
    subscript(kind: PageClass) -> [CorpusPage] { pages.filter { $0.kind == kind } }

    @LoopActor
    private static func pages(
        of chart: CorpusChart, with renderer: MeasuredRenderer, _ comparesSizes: Bool
    ) async throws -> [CorpusPage] {
        let description = try await renderer.pool.describe(chart: chart.path)
        var pages: [CorpusPage] = []
        for number in description.pages.indices {
            let made = try await renderer.render(chart, PageIndex(number), [.plain])
            let bytes = try AtomicFile.read(made.paths[0], limit: 1 << 30)
            let image = try DecodedPNG(ours: bytes)
            let kind = PageClass(images: chart.images, pageCount: description.pages.count, isGray: image.channels == 1)
            pages.append(
                CorpusPage(
                    chart: chart, index: PageIndex(number), pageCount: description.pages.count, width: image.width, height: image.height,
                    kind: kind, plainBytes: bytes.count,
                    sizeByLibpng: comparesSizes ? image.bytesByLibpng().map { Double(bytes.count) / Double($0) } : nil))
            try renderer.clear()
        }
        return pages
    }
}

extension DecodedPNG {
    /// Decodes an image of ours.
    init(ours bytes: [UInt8]) throws(BenchmarkFailure) {
        guard let image = DecodedPNG(bytes) else { throw BenchmarkFailure("libpng finds an image of ours broken") }
        self = image
    }
}

/// The pool of real workers and a page cache, as the agent uses them, with the time taken of everything involved.
@LoopActor
final class MeasuredRenderer {
    /// What one job cost, and where its images are.
    struct Made: Sendable {
        let cost: Cost
        let paths: [String]
    }

    let pool: WorkerPool
    let cache: PageCache
    let settings = RenderSettings()
    let identity: RendererIdentity

    /// Starts a pool with its first worker; its images go to `folder`.
    init(width: Int, folder: String) async throws {
        // The peers run between two of our jobs; meanwhile the worker stays warm.
        pool = try Self.pool(width: width, idleTime: .seconds(3600))
        cache = try PageCache(folder: folder)
        identity = try await pool.identity()
    }

    static func pool(width: Int, idleTime: Duration? = nil) throws -> WorkerPool {
        var options = WorkerOptions(program: try program(), width: width)
        // Work that waits for an idle processor would measure whatever else is running.
        options.isBackground = false
        if let idleTime { options.idleTime = idleTime }
        return WorkerPool(options)
    }

    /// The `woodshed-render` of the same installation.
    static func program() throws -> String {
        guard let own = realpath("/proc/self/exe", nil) else { throw SystemError("find this program") }
        defer { free(own) }
        let program = Folder.parent(of: String(cString: own)) + "/woodshed-render"
        guard access(program, X_OK) == 0 else { throw BenchmarkFailure("there is no \(program); build or install it beside this program") }
        return program
    }

    /// Draws a page.
    func render(_ page: CorpusPage, _ variants: [Variant], marks: PageMarks? = nil) async throws -> Made {
        try await render(page.chart, page.index, variants, marks: marks)
    }

    /// Draws a page of which nothing else is known yet.
    func render(_ chart: CorpusChart, _ index: PageIndex, _ variants: [Variant], marks: PageMarks? = nil) async throws -> Made {
        try await make(chart, index, variants, marks: marks) { [self] outputs in
            _ = try await pool.render(PageJob(chart: chart.path, page: index, settings: settings, outputs: outputs, marks: marks))
        }
    }

    /// Has images written into temporary files and publishes them, as the agent does.
    func make(
        _ chart: CorpusChart, _ index: PageIndex, _ variants: [Variant], marks: PageMarks?,
        _ work: @LoopActor ([PageJob.Output]) async throws -> Void
    ) async throws -> Made {
        let names = variants.map { name(chart, index, $0, marks: marks) }
        let cost = try await measure { [self] in
            let files = try names.map { try cache.begin($0.image) }
            try await work(zip(variants, zip(names, files)).map { PageJob.Output($0, key: $1.0.key, descriptor: $1.1.descriptor) })
            for (name, file) in zip(names, files) { try cache.publish(file, as: name.image) }
        }
        return Made(cost: cost, paths: names.map { cache.path(of: $0.image) })
    }

    /// The name and key of an image with these inputs.
    func name(
        _ chart: CorpusChart, _ index: PageIndex, _ variant: Variant, marks: PageMarks? = nil
    ) -> (image: ImageName, key: ImageKey) {
        let inputs = ImageInputs(
            renderer: identity, chart: chart.hash, chartNeedsFonts: true, page: index, variant: variant, settings: settings,
            marks: variant == .annotated ? marks?.digest : nil)
        return (ImageName(inputs), inputs.key)
    }

    /// Measures a job: the CPU time of this process and of all workers, and the wall time.
    ///
    /// If a worker started or ended meanwhile, its CPU time is not complete, so the job is measured again.
    func measure(_ job: @LoopActor () async throws -> Void) async throws -> Cost {
        for _ in 0..<3 {
            let before = pool.processes
            let (cpu, wall) = (cpuMilliseconds(of: before), ProcessFigures.wallMilliseconds)
            try await job()
            let elapsed = ProcessFigures.wallMilliseconds - wall
            guard pool.processes == before, let cpu, let used = cpuMilliseconds(of: before) else { continue }
            return Cost(cpu: used - cpu, wall: elapsed)
        }
        throw BenchmarkFailure("the worker does not stay alive from one job to the next")
    }

    private func cpuMilliseconds(of pids: [Int32]) -> Double? {
        var sum = ProcessFigures.cpuMilliseconds
        for pid in pids {
            guard let time = ProcessFigures.cpuMilliseconds(of: pid) else { return nil }
            sum += time
        }
        return sum
    }

    /// Opens a chart and, if it has another page, draws that one: the page measured next is then a warm one.
    func warmUp(for page: CorpusPage) async throws {
        guard page.pageCount > 1 else {
            _ = try await pool.describe(chart: page.chart.path)
            return
        }
        let former = (page.index.value + page.pageCount - 1) % page.pageCount
        _ = try await render(page.chart, PageIndex(former), [.plain, .thumbnail])
    }

    /// Makes the plain images and thumbnails of all pages once, with all workers.
    func pagesPerSecond(_ pages: [CorpusPage], width: Int) async throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        var failure: (any Error)?
        await concurrently(pages, atMost: width) { [self] page in
            do { _ = try await render(page, [.plain, .thumbnail]) } catch { failure = error }
        }
        if let failure { throw failure }
        let elapsed = ProcessFigures.wallMilliseconds - start
        try clear()
        return Double(pages.count) / elapsed * 1000
    }

    /// Removes all images, so that the disk does not fill up.
    func clear() throws {
        for name in cache.present() { try cache.remove(name) }
    }
}
