import Glibc
public import Model
public import Platform
public import Rendering
import Testing

/// Renders charts with real workers: has a folder for the files and a pool of workers, and gives the pool jobs.
@LoopActor
public final class Bench {
    public let folder = TemporaryFolder()
    public let pool: WorkerPool

    /// Small images for tests that check no details. Large images would delay other tests, since all tests share the loop.
    public nonisolated static let small = RenderSettings(fullSize: 300, thumbnailSize: 60)

    /// The worker's program, which is built next to these tests.
    public nonisolated static let program = Program.folder + "/woodshed-render"

    public init(clock: any TimeKeeper = SystemClock(), _ change: (inout WorkerOptions) -> Void = { _ in }) {
        var options = WorkerOptions(program: Self.program, width: 2)
        options.isBackground = false
        change(&options)
        pool = WorkerPool(options, clock: clock)
    }

    /// Writes a PDF to the folder and returns its path.
    public func chart(_ pdf: TestPDF, name: String = "chart.pdf") throws -> String {
        try chart(pdf.bytes, name: name)
    }

    public func chart(_ bytes: [UInt8], name: String = "chart.pdf") throws -> String {
        let path = folder.path(name)
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        return path
    }

    /// A new file in the folder for an image to be made.
    public func output(_ variant: Variant) throws -> (output: PageJob.Output, file: TemporaryFile) {
        let file = try TemporaryFile.create(inFolderOf: folder.path("x"))
        return (PageJob.Output(variant, key: Self.key(variant), descriptor: file.descriptor), file)
    }

    public nonisolated static func key(_ variant: Variant) -> ImageKey {
        ImageKey(SHA256.digest(of: "key of \(variant.rawValue)"))
    }

    /// Renders one page and returns the images.
    public func render(
        _ chart: String, page: Int = 0, _ variants: [Variant] = [.plain], settings: RenderSettings = RenderSettings(),
        marks: PageMarks? = nil, in lane: RenderLane = .background
    ) async throws -> (images: [Variant: [UInt8]], outcome: PageOutcome) {
        var files: [Variant: TemporaryFile] = [:]
        var outputs: [PageJob.Output] = []
        for variant in variants {
            let (output, file) = try output(variant)
            files[variant] = file
            outputs.append(output)
        }
        let outcome = try await pool.render(
            PageJob(chart: chart, page: PageIndex(page), settings: settings, outputs: outputs, marks: marks), in: lane)
        return (try files.mapValues { try AtomicFile.read($0.path, limit: 64 << 20) }, outcome)
    }

    /// Stops the pool's only worker, and sends it a job, which the stopped worker does not read.
    public func stuckJob() async throws -> (pid: Int32, job: Task<PageOutcome, any Error>) {
        _ = try await pool.identity()
        let pid = try #require(pool.processes.first)
        await stop(pid)
        let chart = try chart(.halfBlack)
        let job = spawnThrowing { [self] in try await render(chart, settings: Self.small).outcome }
        await until { pool.requestCount == 1 }
        return (pid, job)
    }

    /// Stops a process until it gets SIGCONT.
    public func stop(_ pid: Int32) async {
        kill(pid, SIGSTOP)
        // The kernel takes a moment to stop the process.
        await until { (try? AtomicFile.read("/proc/\(pid)/stat", limit: 4096))?.contains(UInt8(ascii: "T")) == true }
    }

    /// The processor time that a process has used.
    public nonisolated static func computed(_ pid: Int32) -> Duration {
        var id = clockid_t()
        var used = timespec()
        guard clock_getcpuclockid(pid, &id) == 0, clock_gettime(id, &used) == 0 else { return .seconds(1_000_000) }
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }

    /// Lets all other work on the loop run until a condition holds.
    public func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }
}
