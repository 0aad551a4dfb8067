import Glibc
import Platform

/// A program with which ours is compared if it is installed.
enum Peer: String, Hashable, Sendable {
    case pdftocairo
    case mutoolGray = "mutool_gray"
    case inotifywait

    var program: String { self == .mutoolGray ? "mutool" : rawValue }

    var path: String? {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        return (places + ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]).map { $0 + "/" + program }.first { access($0, X_OK) == 0 }
    }
}

/// A child process, of our program or a peer's, with its output in a file.
@LoopActor
final class RunningProgram {
    let child: Child
    private let path: String
    private let log: String
    private var exit: Child.Exit?

    /// Starts the program without this process's environment. Its output is appended to `log`.
    init(_ path: String, _ arguments: [String], environment: [String] = [], log: String) throws {
        self.path = path
        self.log = log
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let output = try Descriptor.open(log, O_WRONLY | O_CREAT | O_APPEND)
        child = try Child.startTied(
            path, arguments: arguments, environment: ["PATH=/usr/bin:/bin"] + environment,
            descriptors: [null.number, output.number, output.number])
        spawn { [self] in exit = await child.exit() }
    }

    /// Waits until `isReady` returns true. It is called at every `interval` with all output so far. Throws if the program ends or
    /// `limit` passes before.
    func wait(
        for what: String, within limit: Duration, every interval: Duration = .milliseconds(100), _ isReady: (String) throws -> Bool
    ) async throws {
        let clock = SystemClock()
        let end = clock.now + limit
        while true {
            let output = try contents(of: log)
            if try isReady(output) { return }
            try require(exit == nil && clock.now < end, "\(path): waited in vain for \(what):\n\(output.suffix(2000))")
            try await clock.sleep(for: interval)
        }
    }

    func prints(_ text: String, within limit: Duration, checkedEvery interval: Duration = .milliseconds(100)) async throws {
        try await wait(for: "'\(text)'", within: limit, every: interval) { $0.contains(text) }
    }

    func end() async {
        child.kill(SIGTERM)
        _ = await child.exit()
    }

    /// Runs a program until it ends, and measures its cost. The CPU time includes child processes that it waited for. Its error
    /// output is passed on unless `isQuiet`.
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

    /// The cost of a program that must succeed.
    static func cost(_ path: String, _ arguments: [String]) async throws -> Cost {
        let (exit, cost) = try await run(path, arguments)
        try require(exit == .code(0), "'\(path) \(arguments.joined(separator: " "))' \(exit)")
        return cost
    }

    /// The cost of a shell command.
    @discardableResult
    static func shell(_ command: String) async throws -> Cost { try await cost("/bin/sh", ["-c", command]) }
}

/// The system's figures for this process and others.
enum ProcessFigures {
    static var cpuMilliseconds: Double { milliseconds(CLOCK_PROCESS_CPUTIME_ID) ?? .nan }

    /// User and system time of another process, to the nanosecond; nil if it has ended.
    static func cpuMilliseconds(of pid: Int32) -> Double? {
        var clock = clockid_t()
        return clock_getcpuclockid(pid, &clock) == 0 ? milliseconds(clock) : nil
    }

    /// Wall time from an arbitrary start that is the same in every process.
    static var wallMilliseconds: Double { milliseconds(CLOCK_MONOTONIC) ?? .nan }

    private static func milliseconds(_ clock: clockid_t) -> Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    /// The peak memory of a process; without a process id, of this one.
    static func peakMebibytes(of pid: Int32? = nil) throws -> Double { Double(try number("VmHWM:", in: "status", of: pid)) / 1024 }

    static func residentMebibytes() throws -> Double { Double(try number("VmRSS:", in: "status", of: nil)) / 1024 }

    /// The bytes that a process has passed to the kernel for writing; without a process id, this process. They include all file
    /// writes, on every file system and even before they reach the disk, but no network responses.
    static func bytesWritten(by pid: Int32? = nil) throws -> Int { try number("wchar:", in: "io", of: pid) }

    fileprivate static func number(_ label: String, in file: String, of pid: Int32?) throws -> Int {
        let path = "/proc/\(pid.map { String($0) } ?? "self")/\(file)"
        let line = try contents(of: path).split(separator: "\n").first { $0.hasPrefix(label) }
        let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return try number.required("\(path) says nothing of \(label)")
    }
}

/// The resources used so far by a process and its descendants.
struct ProcessSample: Sendable {
    private(set) var processes = 0
    /// How often the processes' threads went to sleep or were interrupted. A thread must have woken up before it can do either.
    private(set) var wakeUps = 0
    private(set) var cpuSeconds = 0.0
    private(set) var pssMebibytes = 0.0
    private(set) var privateDirtyMebibytes = 0.0
    private(set) var bytesWritten = 0

    init(of root: Int32) throws {
        for pid in try Self.family(of: root) {
            processes += 1
            for thread in try Folder.names(in: "/proc/\(pid)/task") {
                for label in ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"] {
                    wakeUps += try ProcessFigures.number(label, in: "task/\(thread)/status", of: pid)
                }
            }
            cpuSeconds += (ProcessFigures.cpuMilliseconds(of: pid) ?? 0) / 1000
            pssMebibytes += Double(try ProcessFigures.number("Pss:", in: "smaps_rollup", of: pid)) / 1024
            privateDirtyMebibytes += Double(try ProcessFigures.number("Private_Dirty:", in: "smaps_rollup", of: pid)) / 1024
            bytesWritten += try ProcessFigures.bytesWritten(by: pid)
        }
    }

    private static func family(of pid: Int32) throws -> [Int32] {
        let children = try Folder.names(in: "/proc/\(pid)/task").flatMap { thread in
            try contents(of: "/proc/\(pid)/task/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
        }
        return try [pid] + children.flatMap { try family(of: $0) }
    }
}
