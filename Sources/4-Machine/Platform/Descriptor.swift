public import Glibc
import Model

/// An open file descriptor that is closed when it goes out of scope.
public struct Descriptor: ~Copyable, Sendable {
    /// Valid only while this value lives.
    public let number: Int32

    public init(owning number: Int32) { self.number = number }

    deinit {
        close(number)
    }

    /// Hands the descriptor to the caller, who must close it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Opens a file with close-on-exec.
    public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) -> Descriptor {
        let number = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("open", path: path) }
        return Descriptor(owning: number)
    }

    /// Opens a file for reading; throws unless it is a regular file: opening a pipe waits for a writer, and a device may do anything.
    public static func openFile(_ path: String, _ flags: Int32 = 0) throws(SystemError) -> Descriptor {
        try FileKindCheck.refuseOthers(at: path)
        // Since the check, a pipe or a device may have replaced the file. Because of the flags, opening it does not wait.
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("read", path: path) }
        try FileKindCheck.refuseOthers(status, at: path)
        return file
    }

    public borrowing func write(_ bytes: UnsafeRawBufferPointer, path: String? = nil) throws(SystemError) {
        try Self.write(bytes, to: number, path: path)
    }

    /// Writes all of `bytes` to a descriptor that the caller owns.
    static func write(_ bytes: UnsafeRawBufferPointer, to number: Int32, path: String?) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("write", path: path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the written bytes are on the disk.
    public borrowing func sync(_ path: String) throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("write", path: path) }
    }

    /// Reads to the end; throws `EFBIG` if there are more than `limit` bytes.
    public borrowing func readAll(limit: Int, path: String? = nil) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("read", path: path)
            }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else { throw SystemError("read", path: path, code: EFBIG) }
            bytes += chunk[..<count]
        }
    }
}

/// Throws for everything but regular files.
public enum FileKindCheck {
    /// Throws if `path`, with links followed, is anything but a regular file. Does nothing if there is no file.
    public static func refuseOthers(at path: String) throws(SystemError) {
        var status = stat()
        if stat(path, &status) == 0 { try refuseOthers(status, at: path) }
    }

    static func refuseOthers(_ status: stat, at path: String) throws(SystemError) {
        let what: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw SystemError("read", path: path, code: EISDIR)
        case S_IFIFO: what = "a pipe"
        case S_IFSOCK: what = "a socket"
        default: what = "a device"
        }
        throw SystemError("read", path: path, code: EINVAL, reason: "it is \(what), not a file; move it away")
    }
}

/// A system call that failed, described so that a person can act on it.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: Int32
    /// The failed operation, such as "open" or "create folder".
    public let operation: String
    /// The path of the file in question, if there is one.
    public let path: String?
    /// A text that replaces the system's message for the code.
    private let reason: String?

    /// Uses the present errno unless `code` is given.
    public init(_ operation: String, path: String? = nil, code: Int32? = nil, reason: String? = nil) {
        self.code = code ?? errno
        self.reason = reason
        self.operation = operation
        self.path = path
    }

    public var description: String {
        let what = path.map { "\(operation) \($0)" } ?? operation
        return "cannot \(what): \(reason ?? absence ?? String(cString: strerror(code)))"
    }

    /// The reason if a link on the way to the file leads nowhere; `nil` if the file itself is missing.
    private var absence: String? {
        guard code == ENOENT, let path, let link = Folder.deadLink(onWayTo: path) else { return nil }
        return "\(link.path == path ? "it" : link.path) is a link to \(link.target), which is away; connect that disk, or remove the link "
            + "if the disk is gone for good"
    }

    /// Whether the disk is full, or the user's quota on it.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the disk is read-only for everybody.
    public var isOfReadOnlyDisk: Bool { code == EROFS }

    /// The error as a sentence that also states its consequence and a remedy; use it if the disk is read-only.
    public var onReadOnlyDisk: String {
        "\(self): the disk is read-only, so nothing new is kept, but what is here stays usable; '\(woodshed("doctor"))' says how to fix it"
    }
}
