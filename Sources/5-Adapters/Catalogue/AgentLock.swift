import Glibc
public import Model
public import Platform

/// The locks that allow only one agent at a time to use a library, and one to use a page cache.
///
/// The lock file is in or next to the folder that must not be shared. The lock ends with the process, however the process ends.
public final class AgentLock: Sendable {
    public enum Subject: String, Hashable, Sendable {
        case library
        /// Two libraries may be configured to share a cache: each would then delete pages that the other needs.
        case pageCache = "page cache"
    }

    public enum Failure: Error, Sendable, CustomStringConvertible {
        /// Another process has the lock. `by` is that process's number, if the lock file has it; `isAgent` is true if the process
        /// is an agent that accepts requests.
        case held(by: Int32?, path: String, subject: Subject = .library, isAgent: Bool = false)
        case system(SystemError)

        public var description: String {
            switch self {
            case .held(let pid?, let path, let subject, true):
                "another woodshed agent (process \(pid)) is using this \(subject.rawValue); use that one, or stop it with '\(AgentLock.ending(pid))'. Lock: \(path)"
            case .held(let pid, let path, let subject, _):
                "another woodshed command\(pid.map { " (process \($0))" } ?? "") is using this \(subject.rawValue); try again when it has finished. Lock: \(path)"
            case .system(let error): error.description
            }
        }
    }

    private let file: Int32

    private init(file: Int32) { self.file = file }

    deinit { close(file) }

    /// Takes the lock of the library in `folder`, without waiting.
    public static func take(in folder: String) throws(Failure) -> AgentLock { try take(path(in: folder), of: .library) }

    /// The path of the lock file of the library in `folder`.
    public static func path(in folder: String) -> String { folder + "/agent.lock" }

    /// Takes the lock of the page cache in `folder`, without waiting; `nil` if no lock file can be created.
    ///
    /// The lock file lies next to the folder, because anybody may delete the cache: if a file inside were kept open, the system
    /// would not report the deletion.
    public static func take(besideCache folder: String) throws(Failure) -> AgentLock? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard realpath(folder, &path) != nil else { throw .system(SystemError("find", path: folder)) }
        let name = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? folder }
        do throws(Failure) {
            return try take(name + ".lock", of: .pageCache)
        } catch .system(let error) where [EACCES, EPERM, EROFS].contains(error.code) {
            // Do without a lock: a cache on its own disk, mounted in a system folder, is not shared by mistake.
            return nil
        }
    }

    private static func take(_ path: String, of subject: Subject) throws(Failure) -> AgentLock {
        var file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // The holder's number cannot be written on a read-only disk, but the lock still works.
        let isReadOnly = file < 0 && errno == EROFS
        if isReadOnly { file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { throw .system(SystemError("open", path: path, code: isReadOnly ? EROFS : errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { close(file) }
            guard code == EWOULDBLOCK else { throw .system(SystemError("lock", path: path, code: code)) }
            let (process, isAgent) = holder(of: file)
            throw .held(by: process, path: path, subject: subject, isAgent: isAgent)
        }
        // The holder's number is only information for people and other processes; the kernel keeps the lock itself.
        var text = "\(getpid())\n"
        ftruncate(file, 0)
        text.withUTF8 { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
        return AgentLock(file: file)
    }

    /// True if the file at `path` is the locked file. If the locked file is removed, another process can take the lock.
    public func isAt(_ path: String) -> Bool {
        var ours = stat()
        return fstat(file, &ours) == 0 && FileIdentity(of: path) == FileIdentity(ours)
    }

    /// Writes the path of the holder's socket into the file, for processes that cannot find the socket in the usual place.
    public func note(socket: String) {
        let place = "\(getpid())\n".utf8.count
        var text = socket + "\n"
        ftruncate(file, off_t(place))
        text.withUTF8 { _ = pwrite(file, $0.baseAddress, $0.count, off_t(place)) }
    }

    /// The holder's number, and whether the holder is an agent: an agent writes its socket on the second line.
    private static func holder(of file: Int32) -> (process: Int32?, isAgent: Bool) {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return (nil, false) }
        let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"))
        return (lines.first.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }, lines.count > 1)
    }

    // MARK: - The holder, as others see it

    /// The command that ends an agent: an agent that systemd keeps running would be restarted if it were only killed. Only
    /// SIGKILL ends an agent that `hangs`, or that a signal has stopped.
    public static func ending(_ process: Int32, hangs: Bool = false) -> String {
        guard !isService(process) else { return "systemctl --user stop woodshed" }
        return hangs || isStopped(process) ? "kill -9 \(process)" : "kill \(process)"
    }

    /// How to put a new agent in the place of this one, in words.
    public static func restarting(_ process: Int32, hangs: Bool = false) -> String {
        restarting(isService: isService(process), ending: ending(process, hangs: hangs))
    }

    static func restarting(isService: Bool, ending: String) -> String {
        isService ? "restart it with '\(restartOfService)'" : "stop it with '\(ending)' and start it again"
    }

    /// The same for an agent that hangs, as lines to type.
    public static func replacing(_ process: Int32) -> String {
        isService(process) ? restartOfService : "\(ending(process, hangs: true)); then: \(woodshed("agent"))"
    }

    private static let restartOfService = "systemctl --user restart woodshed"

    /// Whether systemd keeps the process running.
    private static func isService(_ process: Int32) -> Bool {
        let groups = (try? AtomicFile.read("/proc/\(process)/cgroup", limit: 1 << 14)) ?? []
        return String(decoding: groups, as: UTF8.self).contains("/woodshed.service")
    }

    /// Whether a signal such as that of Ctrl-Z has stopped the process.
    private static func isStopped(_ process: Int32) -> Bool {
        let bytes = (try? AtomicFile.read("/proc/\(process)/stat", limit: 1 << 14)) ?? []
        // The state follows the program's name in brackets, which may contain anything.
        guard let name = bytes.lastIndex(of: UInt8(ascii: ")")), name + 2 < bytes.count else { return false }
        return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[name + 2])
    }

    /// The process that holds the lock of the library in `folder` now; `nil` if none does. The lock is left untouched, so an agent
    /// that starts at this moment can still take it.
    public static func runner(in folder: String) -> Int32? { holder(at: path(in: folder))?.process }

    /// The process that keeps others from using a library or its cache, and since when; `nil` if there is none.
    public static func holder(ofLibraryIn data: String, orCache cache: String) -> (process: Int32, since: Timestamp)? {
        holder(at: path(in: data)) ?? holder(at: Folder.real(cache) + ".lock")
    }

    private static func holder(at path: String) -> (process: Int32, since: Timestamp)? {
        var status = stat()
        guard stat(path, &status) == 0, let text = try? AtomicFile.read(path, limit: mostBytes) else { return nil }
        guard let process = Int32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) else { return nil }
        // The kernel returns the list in pieces, and may omit a lock if others come and go meanwhile. It never lists a lock by mistake.
        let isHeld = (0..<3).contains { _ in
            guard let locks = try? AtomicFile.read("/proc/locks", limit: 1 << 22) else { return false }
            return holds(process, inode: UInt64(status.st_ino), locks: String(decoding: locks, as: UTF8.self))
        }
        guard isHeld else { return nil }
        // The holder writes to the file only when it takes the lock and, soon after that, when it notes its socket.
        return (process, Timestamp(nanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000))
    }

    /// The holder's socket as written in the lock file; `nil` if the holder has none, such as a process that only syncs once.
    public static func socket(in folder: String) -> String? {
        guard let text = try? AtomicFile.read(folder + "/agent.lock", limit: mostBytes) else { return nil }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        return lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : nil
    }

    private static let mostBytes = 1 << 13

    /// True if `locks`, the contents of `/proc/locks`, shows that `process` holds the file with that inode number. A line looks
    /// like `1: FLOCK ADVISORY WRITE 812 08:01:393 0 EOF`.
    static func holds(_ process: Int32, inode: UInt64, locks: String) -> Bool {
        locks.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // A process that only waits for a lock has an arrow in the second field.
            guard fields.count >= 6, fields[1] == "FLOCK", fields[4] == "\(process)" else { return false }
            return fields[5].split(separator: ":").last == "\(inode)"
        }
    }
}
