import Glibc
import Platform

/// A program beside this one, ours or a peer's, with its output in a file.
@LoopActor
final class RunningProgram {
    let child: Child
    private let path: String
    private let log: String
    private var exit: Child.Exit?

    /// Where a program is, in PATH or one of the usual folders; `nil` if it is not installed.
    nonisolated static func find(_ name: String) -> String? {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        return (places + ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]).map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
    }

    /// Starts it; it sees nothing of our environment. Its output is added to `log`.
    init(_ path: String, _ arguments: [String], environment: [String] = [], log: String) throws {
        self.path = path
        self.log = log
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let output = try Descriptor.open(log, O_WRONLY | O_CREAT | O_APPEND)
        child = try Child.start(
            path, arguments: arguments, environment: ["PATH=/usr/bin:/bin"] + environment,
            descriptors: [null.number, output.number, output.number])
        spawn { [self] in exit = await child.exit() }
    }

    /// Waits until it is ready, which is looked at every `interval`; `isReady` gets what it has printed.
    func wait(
        for what: String, within limit: Duration, every interval: Duration = .milliseconds(100), _ isReady: (_ said: String) throws -> Bool
    ) async throws {
        let clock = SystemClock()
        let end = clock.now + limit
        while true {
            let said = String(decoding: try AtomicFile.read(log, limit: 16 << 20), as: UTF8.self)
            if try isReady(said) { return }
            guard exit == nil, clock.now < end else { throw BenchmarkFailure("\(path): waited in vain for \(what):\n\(said.suffix(2000))") }
            try await clock.sleep(for: interval)
        }
    }

    /// Waits until it has printed something.
    func says(_ text: String, within limit: Duration, lookedForEvery interval: Duration = .milliseconds(100)) async throws {
        try await wait(for: "'\(text)'", within: limit, every: interval) { $0.contains(text) }
    }

    func end() async {
        child.kill(SIGTERM)
        _ = await child.exit()
    }

    /// The end of what was started only to be run, and its cost: CPU time with that of the processes that it waited for.
    ///
    /// What it complains about is passed on, unless it is to be `quiet`.
    static func run(
        _ path: String, _ arguments: [String], environment: [String] = [], isQuiet: Bool = false
    ) async throws -> (exit: Child.Exit, cost: Cost) {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let start = ProcessFigures.wallMilliseconds
        let child = try Child.start(
            path, arguments: arguments, environment: ["PATH=/usr/bin:/bin"] + environment,
            descriptors: [null.number, null.number, isQuiet ? null.number : 2])
        let exit = await child.exit()
        return (exit, Cost(cpu: child.cpuTime.inSeconds * 1000, wall: ProcessFigures.wallMilliseconds - start))
    }

    /// What a program costs that must end well.
    static func cost(_ path: String, _ arguments: [String]) async throws -> Cost {
        let (exit, cost) = try await run(path, arguments)
        guard exit == .code(0) else { throw BenchmarkFailure("'\(path) \(arguments.joined(separator: " "))' \(exit)") }
        return cost
    }

    /// What a command costs that an administrator would type.
    @discardableResult
    static func shell(_ command: String) async throws -> Cost { try await cost("/bin/sh", ["-c", command]) }
}
