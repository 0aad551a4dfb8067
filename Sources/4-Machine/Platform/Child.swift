import CShims
import Glibc

/// A child process, watched by the loop. It inherits no descriptors except the given ones.
@LoopActor
public final class Child {
    public enum Exit: Hashable, Sendable, CustomStringConvertible {
        case code(Int32)
        case signal(Int32)

        public var description: String {
            switch self {
            case .code(let code): "ended with code \(code)"
            case .signal(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
            }
        }
    }

    public let pid: Int32
    /// The CPU time of the child and the children that it waited for; zero until it has ended.
    public private(set) var cpuTime = Duration.zero
    private let processDescriptor: Int32
    private var watch: DescriptorWatch?
    private var ended: Exit?
    private var waiters: [CheckedContinuation<Exit, Never>] = []

    private init(pid: pid_t, processDescriptor: Int32) { (self.pid, self.processDescriptor) = (pid, processDescriptor) }

    /// Starts `path`. `descriptors` become 0, 1, 2, 3 … in the child, which inherits no others.
    public static func start(
        _ path: String, arguments: [String] = [], environment: [String], descriptors: [Int32]
    ) throws(SystemError) -> Child {
        let pid = try launch(path, arguments, environment, descriptors)
        let processDescriptor = woodshed_pidfd_open(pid)
        guard processDescriptor >= 0 else {
            let error = SystemError("watch process", path: path)
            Glibc.kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw error
        }
        let child = Child(pid: pid, processDescriptor: processDescriptor)
        // The watch holds the object until the process has ended, so that every process is reaped.
        do {
            child.watch = try Loop.shared.watch(processDescriptor, for: .read) { _ in child.reap() }
        } catch {
            Glibc.kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            close(processDescriptor)
            throw error
        }
        return child
    }

    /// Starts a program that is killed when the loop's thread ends, and so whenever this process ends: otherwise, tests and measurements
    /// could leave agents or browsers behind. `pid` is the program's own number, since `setpriv` turns into the program.
    package static func startTied(
        _ path: String, arguments: [String] = [], environment: [String], descriptors: [Int32]
    ) throws(SystemError) -> Child {
        try start("/usr/bin/setpriv", arguments: tied(path) + arguments, environment: environment, descriptors: descriptors)
    }

    /// The arguments with which `setpriv` turns into the program at `path`, which is killed as soon as the thread that started it ends.
    package nonisolated static func tied(_ path: String) -> [String] { ["--pdeathsig", "KILL", path] }

    private nonisolated static func launch(
        _ path: String, _ arguments: [String], _ environment: [String], _ descriptors: [Int32]
    ) throws(SystemError) -> pid_t {
        // A descriptor whose number is one of the child's new numbers could be overwritten before it is copied. So first duplicate all
        // descriptors to numbers above those.
        let lifted = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(descriptors.count)) }
        defer { for number in lifted where number >= 0 { close(number) } }
        guard lifted.allSatisfy({ $0 >= 0 }) else { throw SystemError("start", path: path) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, number) in lifted.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, number, Int32(target))
        }
        _ = woodshed_close_descriptors_from(&actions, Int32(descriptors.count))

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        var allSignals = sigset_t()
        sigemptyset(&noSignals)
        sigfillset(&allSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        // A process group of its own, so that Ctrl-C in the terminal reaches only this process, which ends its children in order.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var argumentList: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var environmentList: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for each in argumentList + environmentList { free(each) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &attributes, &argumentList, &environmentList)
        guard code == 0 else { throw SystemError("start", path: path, code: code) }
        return pid
    }

    /// Waits until the child has ended.
    public func exit() async -> Exit {
        await withCheckedContinuation { continuation in
            // Check here, since the task may be suspended between the call and this closure, and the child may end meanwhile.
            if let ended { continuation.resume(returning: ended) } else { waiters.append(continuation) }
        }
    }

    /// Sends a signal, unless the child has ended.
    public func kill(_ signal: Int32) {
        if ended == nil { Glibc.kill(pid, signal) }
    }

    private func reap() {
        var status: Int32 = 0
        var usage = rusage()
        guard ended == nil, wait4(pid, &status, WNOHANG, &usage) == pid else { return }
        cpuTime = [usage.ru_utime, usage.ru_stime].reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
        let exit: Exit = status & 0x7f == 0 ? .code((status >> 8) & 0xff) : .signal(status & 0x7f)
        ended = exit
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
        close(processDescriptor)
        for waiter in waiters { waiter.resume(returning: exit) }
        waiters = []
    }
}

extension Child {
    /// A program's output, and how the program ended.
    public struct Output: Sendable {
        public let bytes: [UInt8]
        /// `nil` if the program did not end in time and was killed.
        public let exit: Exit?
    }

    /// Runs a program, which may read a few KiB of `input`, and returns its output. Its error messages go to this process's standard error
    /// or, if `takesErrors`, count as output.
    ///
    /// The program leads its own process group, which is killed as a whole if the program has not ended after `limit`. Output
    /// beyond `most` bytes is discarded, so that the program never has to wait.
    public static func output(
        of path: String, arguments: [String], environment: [String], input: [UInt8] = [], within limit: Duration, most: Int = 65536,
        takesErrors: Bool = false, clock: any TimeKeeper
    ) async throws(SystemError) -> Output {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        let reading = Descriptor(owning: ends[0])
        let source = reading.number
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(source, F_SETFL, O_NONBLOCK)
        let child = try start(path, arguments, environment, reading: input, writing: Descriptor(owning: ends[1]), takesErrors)

        let collected = CollectedOutput(source, most: most)
        var hasTimedOut = false
        let timer = clock.schedule(at: clock.now + limit) {
            hasTimedOut = true
            Glibc.kill(-child.pid, SIGKILL)
            child.kill(SIGKILL)
        }
        do {
            try collected.begin()
        } catch {
            clock.cancel(timer)
            Glibc.kill(-child.pid, SIGKILL)
            _ = await child.exit()
            throw error
        }
        let exit = await child.exit()
        clock.cancel(timer)
        let bytes = collected.end()
        _ = consume reading
        return Output(bytes: bytes, exit: hasTimedOut ? nil : exit)
    }

    private static func start(
        _ path: String, _ arguments: [String], _ environment: [String], reading input: [UInt8], writing: consuming Descriptor,
        _ takesErrors: Bool
    ) throws(SystemError) -> Child {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let source = Descriptor(owning: ends[0])
        let sink = Descriptor(owning: ends[1])
        // The pipe's buffer is large enough for the input, so this does not wait.
        guard input.isEmpty || Glibc.write(sink.number, input, input.count) == input.count else { throw SystemError("fill a pipe") }
        _ = consume sink
        let errors = takesErrors ? writing.number : 2
        return try start(path, arguments: arguments, environment: environment, descriptors: [source.number, writing.number, errors])
    }
}

/// Collects the output that arrives through a pipe.
@LoopActor
private final class CollectedOutput {
    private let source: Int32
    private let most: Int
    private var bytes: [UInt8] = []
    private var watch: DescriptorWatch?

    init(_ source: Int32, most: Int) { (self.source, self.most) = (source, most) }

    func begin() throws(SystemError) {
        watch = try Loop.shared.watch(source, for: .read) { [weak self] _ in
            // Stop at the end of the stream: the descriptor would stay ready for ever, and the loop would never sleep.
            if self?.drain() == true { self?.cancel() }
        }
    }

    /// Ends the watch, and returns all of the output. Reads once more, since the last part may arrive together with the end of the
    /// program.
    func end() -> [UInt8] {
        cancel()
        drain()
        return bytes
    }

    private func cancel() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
    }

    /// Reads the available bytes; returns whether the stream has ended.
    @discardableResult
    private func drain() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(source, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                return errno != EAGAIN
            }
            if count == 0 { return true }
            bytes += chunk[..<min(count, max(0, most - bytes.count))]
        }
    }
}
