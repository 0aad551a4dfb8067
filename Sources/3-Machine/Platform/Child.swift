import CShims
import Glibc

/// A child process, which gets nothing of ours except the descriptors given, and is watched by the loop.
@LoopActor
public final class Child {
    /// How a process ended.
    public enum Exit: Hashable, Sendable, CustomStringConvertible {
        /// It returned this code.
        case code(Int32)
        /// This signal ended it.
        case signal(Int32)

        public var description: String {
            switch self {
            case .code(let code): "ended with code \(code)"
            case .signal(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
            }
        }
    }

    /// The process's number.
    public let pid: Int32
    /// The CPU time used by it and the children that it waited for; zero until it has ended.
    public private(set) var cpuTime = Duration.zero
    private let processDescriptor: Int32
    private var watch: DescriptorWatch?
    private var ended: Exit?
    private var waiters: [CheckedContinuation<Exit, Never>] = []

    private init(pid: pid_t, processDescriptor: Int32) {
        self.pid = pid
        self.processDescriptor = processDescriptor
    }

    /// Starts `path`. `descriptors` become 0, 1, 2, 3 … in the child, which inherits nothing else.
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
        // The watch keeps the child alive until it has ended, so that no process is left unreaped.
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

    private nonisolated static func launch(
        _ path: String, _ arguments: [String], _ environment: [String], _ descriptors: [Int32]
    ) throws(SystemError) -> pid_t {
        // A descriptor with one of the first few numbers would be overwritten before it is copied, so lift all of them above those first.
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
        // A process group of its own: Ctrl-C at the terminal is for us, and we end our children in order.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var argumentList: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var environmentList: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for each in argumentList + environmentList { free(each) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &attributes, &argumentList, &environmentList)
        guard code == 0 else { throw SystemError("start", path: path, code: code) }
        return pid
    }

    /// Waits until it has ended.
    public func exit() async -> Exit {
        await withCheckedContinuation { continuation in
            // Checked in here: a task without the loop's preference gets here by way of the queue, and the child may end meanwhile.
            if let ended { continuation.resume(returning: ended) } else { waiters.append(continuation) }
        }
    }

    /// Sends a signal, unless it has ended.
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
