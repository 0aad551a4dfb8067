import Glibc
import Model

/// A system call that failed, described so that a person can act on it.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errno of the failed call.
    public let code: Int32
    /// What was being done, such as "open" or "create folder".
    public let operation: String
    /// The file that it was done to, if there was one.
    public let path: String?

    /// Makes an error, from the present errno unless `code` is given.
    public init(_ operation: String, path: String? = nil, code: Int32? = nil) {
        self.code = code ?? errno
        self.operation = operation
        self.path = path
    }

    public var description: String {
        let what = path.map { "\(operation) \($0)" } ?? operation
        return "cannot \(what): \(String(cString: strerror(code)))"
    }

    /// Whether the disk, or the user's share of it, is full.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the disk cannot be written to at all, by anybody.
    public var isOfReadOnlyDisk: Bool { code == EROFS }

    /// The error with what it means and what to do, for an error of a read-only disk.
    public var onReadOnlyDisk: String {
        "\(self): the disk is read-only, so nothing new is kept, but what is here stays usable; `\(woodshed("doctor"))` says how to fix it"
    }
}
