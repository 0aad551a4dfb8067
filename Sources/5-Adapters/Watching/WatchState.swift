import Glibc
public import Platform

public struct WatchState: Hashable, Sendable {
    /// How many folders are watched, including those where a missing root is awaited.
    public let folders: Int
    /// Roots that are not there, or may not be read.
    public let missing: [String]
    /// Roots that cannot be watched, and are to be looked at from time to time instead.
    public internal(set) var scanned: [String] = []
    /// Why nothing is watched at all; `nil` when all is well.
    public let trouble: WatchTrouble?
}

/// Why folders cannot be watched. None of this is about the disk, whatever the error number says.
public enum WatchTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user's share of watched folders is used up.
    case watches(limit: Int?)
    /// Too many of the user's programs watch folders.
    case instances(limit: Int?)
    /// This process, or the machine, has too many files open.
    case descriptors
    case system(SystemError)

    init(openingFailedWith code: Int32) {
        switch code {
        case EMFILE:
            // A process at its own limit gets the same error: then it cannot open anything else either.
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
