import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform
import Rendering

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
