import Glibc
import Platform

/// Runs what an administrator would type.
enum Shell {
    /// Runs a command that must succeed; returns the wall time in milliseconds.
    @LoopActor
    static func run(_ command: String) async throws -> Double {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let start = ProcessFigures.wallMilliseconds
        let child = try Child.start(
            "/bin/sh", arguments: ["-c", command], environment: ["PATH=/usr/bin:/bin"], descriptors: [null.number, null.number, 2])
        let exit = await child.exit()
        let end = ProcessFigures.wallMilliseconds
        guard exit == .code(0) else { throw BenchmarkFailure("'\(command)' \(exit)") }
        return end - start
    }
}
