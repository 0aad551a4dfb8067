import FoundationEssentials
import Glibc
import Platform

/// This program again in a separate process, so that nothing of this one is measured.
enum MeasuredProcess {
    /// Runs it with these arguments, and reads its measurements from its output.
    @LoopActor
    static func run<Record: Decodable>(_ words: [String]) async throws -> Record {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let result = folder.path + "/record.json"
        let null = try Descriptor.open("/dev/null", O_RDONLY)
        let output = try Descriptor.open(result, O_WRONLY | O_CREAT)
        let child = try Child.start("/proc/self/exe", arguments: words, environment: [], descriptors: [null.number, output.number, 2])
        let exit = await child.exit()
        guard exit == .code(0) else { throw BenchmarkFailure("what is measured \(exit)") }
        return try JSONDecoder().decode(Record.self, from: Data(try AtomicFile.read(result, limit: 1 << 20)))
    }
}
