import CShims
import Glibc
import Platform

/// Everything that a worker would try if a PDF had taken it over. Run in a worker's sandbox, it reports the result of each attempt.
enum Attempts {
    private static let attempts: [(name: String, try: @Sendable () -> Bool)] = [
        ("read /etc/passwd", { canOpen("/etc/passwd", O_RDONLY) }),
        ("list the home folder", { opens(home) }),
        ("list the root folder", { opens("/") }),
        ("read the parent's environment", { canOpen("/proc/\(getppid())/environ", O_RDONLY) }),
        ("create a file", { canOpen("/tmp/woodshed-tried", O_RDWR | O_CREAT) }),
        ("open a file to write", { canOpen("/dev/null", O_WRONLY) }),
        ("create a folder", { mkdir("/tmp/woodshed-tried", 0o700) == 0 }),
        ("delete a file", { unlink("/tmp/woodshed-tried") == 0 }),
        ("rename a file", { rename("/tmp/woodshed-tried", "/tmp/woodshed-renamed") == 0 }),
        ("change a file's mode", { chmod("/tmp/woodshed-tried", 0o700) == 0 }),
        ("make a network socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("make a local socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("connect", connects),
        ("fork", { woodshed_try_fork() >= 0 }),
        ("run a program", runs),
        ("become a program", becomes),
        ("signal another process", { kill(getppid(), 0) == 0 }),
        ("trace another process", { woodshed_try_trace(nobody) == 0 }),
        ("limit another process", { woodshed_limit_process(nobody, Int32(RLIMIT_CORE.rawValue), 0) == 0 }),
        ("raise its own limits", raises),
        ("outlive its parent", { woodshed_die_with_parent() == 0 }),
        ("map memory as code", { woodshed_try_executable_memory() == 0 }),
        ("watch files", { woodshed_epoll_create() >= 0 }),
    ]

    /// Reports a line for each attempt, and for reading a font, which must stay possible; returns whether all attempts were refused.
    static func report(_ say: (String) -> Void) -> Bool {
        var isTight = true
        for (name, attempt) in attempts {
            errno = 0
            let succeeded = attempt()
            let code = errno
            say("\(name): \(succeeded ? "allowed" : String(cString: strerror(code)))")
            isTight = isTight && !succeeded && (code == EACCES || code == EPERM)
        }
        let font = firstFile(in: "/usr/share/fonts")
        say("read a font: \(font.map { canOpen($0, O_RDONLY) ? "allowed" : String(cString: strerror(errno)) } ?? "there is none")")
        return isTight
    }

    /// No process has this number: without a sandbox, these attempts do no harm and fail for another reason.
    private static let nobody: pid_t = .max

    private static var home: String { getenv("HOME").map { String(cString: $0) } ?? "/home" }

    private static func canOpen(_ path: String, _ flags: Int32) -> Bool {
        let number = open(path, flags, 0o600)
        guard number >= 0 else { return false }
        close(number)
        return true
    }

    private static func opens(_ folder: String) -> Bool { canOpen(folder, O_RDONLY | O_DIRECTORY) }

    private static func connects() -> Bool {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        return connect(WorkerProgram.socket, &address, socklen_t(MemoryLayout<sockaddr>.size)) == 0
    }

    private static func runs() -> Bool {
        var pid: pid_t = 0
        errno = posix_spawn(&pid, "/bin/true", nil, nil, [nil], [nil])
        return errno == 0
    }

    private static func raises() -> Bool {
        var limit = rlimit(rlim_cur: .max, rlim_max: .max)
        return setrlimit(Int32(RLIMIT_CORE.rawValue), &limit) == 0
    }

    /// The program does not exist: if it did and the call succeeded, nothing more could be reported.
    private static func becomes() -> Bool { execve("/tmp/woodshed-tried", [nil], [nil]) == 0 }

    private static func firstFile(in folder: String, depth: Int = 4) -> String? {
        guard depth > 0, let names = try? Folder.names(in: folder) else { return nil }
        for path in names.map({ folder + "/" + $0 }) {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFREG { return path }
            if let file = firstFile(in: path, depth: depth - 1) { return file }
        }
        return nil
    }
}
