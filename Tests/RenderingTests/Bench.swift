import Glibc
import Model
import Platform
import Rendering
import TestSupport

/// A folder, a pool of real workers, and jobs for them.
@LoopActor
final class Bench {
    let folder = TemporaryFolder()
    let pool: WorkerPool

    /// The program beside this test's own.
    nonisolated static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The test runner may be the toolchain's; then the bundle is among the arguments.
        let candidates = [own] + CommandLine.arguments
        let folders = candidates.flatMap { [Folder.parent(of: $0), Folder.parent(of: Folder.parent(of: $0))] }
        return folders.map { $0 + "/woodshed-render" }.first { access($0, X_OK) == 0 } ?? "woodshed-render"
    }

    init(clock: any TimeKeeper = SystemClock(), _ change: (inout WorkerOptions) -> Void = { _ in }) {
        var options = WorkerOptions(program: Self.program, width: 2)
        options.isBackground = false
        change(&options)
        pool = WorkerPool(options, clock: clock)
    }

    /// Puts a PDF into the folder and answers its path.
    func chart(_ pdf: TestPDF, name: String = "chart.pdf") throws -> String {
        try chart(pdf.bytes, name: name)
    }

    func chart(_ bytes: [UInt8], name: String = "chart.pdf") throws -> String {
        let path = folder.path(name)
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        return path
    }

    /// An image to be: a file of its own in the folder.
    func output(_ variant: Variant) throws -> (output: PageJob.Output, file: TemporaryFile) {
        let file = try TemporaryFile.create(inFolderOf: folder.path("x"))
        return (PageJob.Output(variant, key: Self.key(variant), descriptor: file.descriptor), file)
    }

    nonisolated static func key(_ variant: Variant) -> ImageKey {
        ImageKey(SHA256.digest(of: "key of \(variant.rawValue)"))
    }

    /// Renders one page and answers the images.
    func render(
        _ chart: String, page: Int = 0, _ variants: [Variant] = [.plain], settings: RenderSettings = RenderSettings(),
        marks: PageMarks? = nil
    ) async throws -> (images: [Variant: [UInt8]], outcome: PageOutcome) {
        var files: [Variant: TemporaryFile] = [:]
        var outputs: [PageJob.Output] = []
        for variant in variants {
            let (output, file) = try output(variant)
            files[variant] = file
            outputs.append(output)
        }
        let outcome = try await pool.render(
            PageJob(chart: chart, page: PageIndex(page), settings: settings, outputs: outputs, marks: marks))
        return (try files.mapValues { try AtomicFile.read($0.path, limit: 64 << 20) }, outcome)
    }

    /// Lets everything else on the loop run until something is so.
    func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }
}
