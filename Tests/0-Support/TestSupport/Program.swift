import Glibc
public import Platform
public import Testing

/// A program that a test runs and whose output it reads: one of our built programs, or any program given by its absolute path.
@LoopActor
public final class Program {
    public struct Result: Sendable {
        public let exit: Child.Exit
        public let output: String
        public let messages: String
        /// User and system CPU seconds of the program and of the children that it waited for.
        public let cpuSeconds: Double
    }

    /// The folder with the built programs, next to these tests.
    public nonisolated static let folder = Folder.parent(of: CommandLine.arguments[0])

    private let files = TemporaryFolder()
    public let child: Child

    /// Starts a program with its output going to files. A program that is not ours needs its absolute path. Agents get any free port for
    /// their pages, since many run at the same time, unless `environment` sets the port. The descriptors in `passing` are numbered from 3
    /// in the child.
    public init(
        _ name: String, _ arguments: [String], environment: [String] = [], passing: [Int32] = []
    ) throws(SystemError) {
        let null = try Descriptor.open("/dev/null", O_RDONLY)
        let output = try Descriptor.open(files.path("output"), O_WRONLY | O_CREAT | O_APPEND)
        let messages = try Descriptor.open(files.path("messages"), O_WRONLY | O_CREAT | O_APPEND)
        child = try Child.startTied(
            name.hasPrefix("/") ? name : Self.folder + "/" + name, arguments: arguments,
            environment: ["PATH=/usr/bin:/bin", "HOME=" + files.path, "WOODSHED_ETC=" + files.path + "/etc"]
                + (environment.contains { $0.hasPrefix("WOODSHED_VIEWER_PORT=") } ? [] : ["WOODSHED_VIEWER_PORT=0"]) + environment,
            descriptors: [null.number, output.number, messages.number] + passing)
    }

    /// Waits for the program's end, and kills the program if the test runs out of time.
    public func result() async throws(SystemError) -> Result {
        let pid = child.pid
        let exit = await withTaskCancellationHandler {
            await child.exit()
        } onCancel: {
            kill(pid, SIGKILL)
        }
        return Result(
            exit: exit, output: try text("output"), messages: try text("messages"), cpuSeconds: child.cpuTime.inSeconds)
    }

    /// Whether the program is still running.
    public var isRunning: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info._sifields._kill.si_pid == 0
    }

    /// The program's standard error so far.
    public func messagesSoFar() throws(SystemError) -> String { try text("messages") }

    /// The program's standard output so far.
    public func outputSoFar() throws(SystemError) -> String { try text("output") }

    /// Runs a program until it ends.
    public static func run(_ name: String, _ arguments: [String], environment: [String] = []) async throws(SystemError) -> Result {
        try await Program(name, arguments, environment: environment).result()
    }

    private func text(_ name: String) throws(SystemError) -> String {
        String(decoding: try AtomicFile.read(files.path(name), limit: 1 << 20), as: UTF8.self)
    }
}

/// Waits for another process to do something, checking often at first, then less. After half a minute of `FairTime`, fails the test
/// and names what did not happen: `description`, or the line of source.
@LoopActor
public func waitUntil(
    _ what: @LoopActor () async throws -> Bool, for description: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var time = FairTime()
    while try await !what() {
        time.look()
        if time.passed > .seconds(30) {
            let awaited = description ?? source(of: sourceLocation)
            try #require(Bool(false), "waited for \(time.passed), in vain: \(awaited)", sourceLocation: sourceLocation)
        }
        // Constant checking would slow down the other process.
        try await SystemClock().sleep(for: min(max(time.passed / 10, .milliseconds(5)), .milliseconds(50)))
    }
}

/// The line of a test's source, if the file still exists.
private func source(of place: SourceLocation) -> String {
    let module = String(place.fileID.prefix { $0 != "/" })
    let file = Repository.module(module, in: "Tests").flatMap {
        try? AtomicFile.read($0 + place.fileID.dropFirst(module.count), limit: 1 << 20)
    }
    let lines = file.map { String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) }
    guard let lines, lines.indices.contains(place.line - 1) else { return "\(place.fileID):\(place.line)" }
    return String(lines[place.line - 1].drop { $0 == " " })
}
