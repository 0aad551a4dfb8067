import BenchmarkCorpus
import Glibc
import LibPNG
import Model
import PageCache
import Platform
import Rendering

struct CorpusPage: Hashable, Sendable {
    let chart: CorpusChart
    let index: PageIndex
    let pageCount: Int
    /// The size of the full image, in pixels.
    var width = 0
    var height = 0
    var kind = PageClass.other
    /// The size of the plain image in bytes.
    var plainBytes = 0
    /// `plainBytes` divided by the size of libpng's encoding of the same pixels, if requested.
    var sizeByLibpng: Double?

    var name: String { pageCount == 1 ? chart.name : "\(chart.name) \(index.number)" }
}

/// The pages to measure, in the order of their charts.
struct Corpus: Sendable {
    /// The pages, grouped by chart.
    private(set) var charts: [[CorpusPage]] = []
    /// A sentence for each chart that could not be opened or drawn.
    private(set) var leftOut: [String] = []

    /// Opens and draws every chart once, to find sizes and colours, and charts that cannot be measured.
    @LoopActor
    init(_ files: [CorpusChart], with renderer: MeasuredRenderer, comparesSizes: Bool = false) async throws {
        var known: Set<ChartHash> = []
        for chart in files where known.insert(chart.hash).inserted {
            do {
                let count = try await renderer.pool.describe(chart: chart.path).pages.count
                var pages: [CorpusPage] = []
                for number in 0..<count {
                    var page = CorpusPage(chart: chart, index: PageIndex(number), pageCount: count)
                    let bytes = try AtomicFile.read(try await renderer.render(page, [.plain]).paths[0], limit: 1 << 30)
                    let image = try DecodedPNG(ours: bytes)
                    (page.width, page.height, page.plainBytes) = (image.width, image.height, bytes.count)
                    page.kind = PageClass(images: chart.images, pageCount: count, isGray: image.channels == 1)
                    if comparesSizes { page.sizeByLibpng = image.bytesByLibpng().map { Double(bytes.count) / Double($0) } }
                    pages.append(page)
                    try renderer.clear()
                }
                if !pages.isEmpty { charts.append(pages) }
            } catch let failure as RenderFailure {
                leftOut.append("left out: \(chart.path): \(failure)")
            }
        }
        try require(!pages.isEmpty, "there is no page to measure")
    }

    var pages: [CorpusPage] { charts.flatMap(\.self) }

    subscript(kind: PageClass) -> [CorpusPage] { pages.filter { $0.kind == kind } }
}

extension DecodedPNG {
    init(ours bytes: [UInt8]) throws(Trouble) { self = try DecodedPNG(bytes).required("libpng finds an image of ours broken") }
}

/// The pool of real workers and a page cache, as the agent uses them. Measures the time of all processes involved.
@LoopActor
final class MeasuredRenderer {
    /// The cost of one job, and the paths of its images.
    typealias Made = (cost: Cost, paths: [String])

    let pool: WorkerPool
    let cache: PageCache
    let settings = RenderSettings()
    let identity: RendererIdentity

    /// Starts a pool with its first worker. Images are stored in `folder`.
    init(width: Int, folder: String) async throws {
        // The worker must stay warm while the peers run between two of our jobs.
        pool = try Self.pool(width: width, idleTime: .seconds(3600))
        cache = try PageCache(folder: folder)
        identity = try await pool.identity()
    }

    static func pool(width: Int, idleTime: Duration? = nil) throws -> WorkerPool {
        var options = WorkerOptions(program: try program(), width: width)
        // Work that waits for an idle processor would measure the machine's other activity.
        options.isBackground = false
        if let idleTime { options.idleTime = idleTime }
        return WorkerPool(options)
    }

    /// The `woodshed-render` in the same folder as this program.
    static func program() throws -> String {
        guard let own = realpath("/proc/self/exe", nil) else { throw SystemError("find this program") }
        defer { free(own) }
        let program = Folder.parent(of: String(cString: own)) + "/woodshed-render"
        try require(access(program, X_OK) == 0, "there is no \(program); build or install it beside this program")
        return program
    }

    func render(_ page: CorpusPage, _ variants: [Variant], marks: PageMarks? = nil) async throws -> Made {
        try await make(page, variants, marks: marks) { [self] outputs in
            let job = PageJob(chart: page.chart.path, page: page.index, settings: settings, outputs: outputs, marks: marks)
            _ = try await pool.render(job)
        }
    }

    /// Makes images in temporary files with `work` and publishes them, as the agent does.
    func make(
        _ page: CorpusPage, _ variants: [Variant], marks: PageMarks?, _ work: @LoopActor ([PageJob.Output]) async throws -> Void
    ) async throws -> Made {
        let names = variants.map { name(page, $0, marks: marks) }
        let cost = try await measure { [self] in
            let files = try names.map { try cache.begin($0.image) }
            try await work(zip(variants, zip(names, files)).map { PageJob.Output($0, key: $1.0.key, descriptor: $1.1.descriptor) })
            for (name, file) in zip(names, files) { try cache.publish(file, as: name.image) }
        }
        return (cost, names.map { cache.path(of: $0.image) })
    }

    func name(_ page: CorpusPage, _ variant: Variant, marks: PageMarks? = nil) -> (image: ImageName, key: ImageKey) {
        let inputs = ImageInputs(
            renderer: identity, chart: page.chart.hash, chartNeedsFonts: true, page: page.index, variant: variant, settings: settings,
            marks: variant == .annotated ? marks?.digest : nil)
        return (ImageName(inputs), inputs.key)
    }

    /// Measures a job: the CPU time of this process and all workers, and the wall time.
    ///
    /// If a worker started or ended meanwhile, the CPU time is incomplete, so the job is measured again. Throws after three attempts.
    func measure(_ job: @LoopActor () async throws -> Void) async throws -> Cost {
        for _ in 0..<3 {
            let before = pool.processes
            let (cpu, wall) = (cpuMilliseconds(of: before), ProcessFigures.wallMilliseconds)
            try await job()
            let elapsed = ProcessFigures.wallMilliseconds - wall
            guard pool.processes == before, let cpu, let used = cpuMilliseconds(of: before) else { continue }
            return Cost(cpu: used - cpu, wall: elapsed)
        }
        throw Trouble("the worker does not stay alive from one job to the next")
    }

    private func cpuMilliseconds(of pids: [Int32]) -> Double? {
        let times = pids.compactMap { ProcessFigures.cpuMilliseconds(of: $0) }
        return times.count == pids.count ? times.reduce(ProcessFigures.cpuMilliseconds, +) : nil
    }

    /// Opens a chart and draws another page of it, if there is one, so that the next page measured finds a warm worker.
    func warmUp(for page: CorpusPage) async throws {
        guard page.pageCount > 1 else {
            _ = try await pool.describe(chart: page.chart.path)
            return
        }
        let former = PageIndex((page.index.value + page.pageCount - 1) % page.pageCount)
        _ = try await render(CorpusPage(chart: page.chart, index: former, pageCount: page.pageCount), [.plain, .thumbnail])
    }

    /// The speed at which `width` workers make the plain image and thumbnail of all pages.
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
    func clear() throws { for name in cache.present() { try cache.remove(name) } }
}
