import Glibc
import Platform

/// A program that keeps running, with its output in a file.
@LoopActor
final class RunningProgram {
    let child: Child
    private let program: String
    private let log: String
    private var exit: Child.Exit?

    init(_ path: String, _ arguments: [String], environment: [String] = [], log: String) throws {
        program = path
        self.log = log
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let output = try Descriptor.open(log, O_WRONLY | O_CREAT | O_APPEND)
        child = try Child.start(
            path, arguments: arguments, environment: ["PATH=/usr/bin:/bin"] + environment,
            descriptors: [null.number, output.number, output.number])
        spawn { [self] in exit = await child.exit() }
    }

    /// Waits until it has printed something.
    func says(_ text: String, within limit: Duration) async throws {
        let clock = SystemClock()
        let end = clock.now + limit
        while true {
            let said = String(decoding: try AtomicFile.read(log, limit: 16 << 20), as: UTF8.self)
            if said.contains(text) { return }
            guard exit == nil, clock.now < end else {
                throw BenchmarkFailure("\(program) did not say '\(text)', but:\n\(said.suffix(2000))")
            }
            try await clock.sleep(for: .milliseconds(100))
        }
    }

    func end() async {
        child.kill(SIGTERM)
        _ = await child.exit()
    }
}
