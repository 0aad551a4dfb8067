import Glibc
public import Platform

public struct WatchState: Hashable, Sendable {
    /// How many folders are watched, including the folder in which a missing root would appear.
    public let folders: Int
    /// Roots that do not exist, or may not be read.
    public let missing: [String]
    /// Folders that cannot be watched, and are scanned from time to time instead.
    public internal(set) var scanned: [String] = []
    /// Why no folder is watched; `nil` if watching works.
    public let trouble: WatchTrouble?
}

/// Why folders cannot be watched. An exhausted limit has the error number of a full disk, but the disk is never the cause.
public enum WatchTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user's limit of watched folders is reached.
    case watches(limit: Int?)
    /// The user's limit of programs that watch folders is reached.
    case instances(limit: Int?)
    /// This process, or the machine, has too many files open.
    case descriptors
    case system(SystemError)

    init(openingFailedWith code: Int32) {
        switch code {
        case EMFILE:
            // A process at its own limit of open files gets the same error, but then it cannot open any other file either.
            let other = dup(STDIN_FILENO)
            let isAtItsLimit = other < 0 && errno == EMFILE
            if other >= 0 { close(other) }
            self = isAtItsLimit ? .descriptors : .instances(limit: Self.limit("max_user_instances"))
        case ENFILE: self = .descriptors
        default: self = .system(SystemError("watch folders", code: code))
        }
    }

    init(watchingFailedWith code: Int32, folder: String) {
        self = code == ENOSPC ? .watches(limit: Self.limit("max_user_watches")) : .system(SystemError("watch", path: folder, code: code))
    }

    public var description: String {
        switch self {
        case .watches(let limit): Self.sentence("watched folders", "max_user_watches", limit, atLeast: 524_288)
        case .instances(let limit): Self.sentence("programs that watch folders", "max_user_instances", limit, atLeast: 512)
        case .descriptors: "folders are not watched: too many files are open"
        case .system(let error): "folders are not watched: \(error)"
        }
    }

    private static func sentence(_ what: String, _ name: String, _ limit: Int?, atLeast: Int) -> String {
        let enough = max(atLeast, 2 * (limit ?? 0))
        return "folders are not watched: this user's limit of \(what)\(limit.map { " (\($0))" } ?? "") is used up;"
            + " raise it with: sudo sysctl fs.inotify.\(name)=\(enough)"
    }

    private static func limit(_ name: String) -> Int? {
        let path = "/proc/sys/fs/inotify/" + name
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(limit: 64) else { return nil }
        return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
