import Glibc
public import Platform

/// Protects folders from systemd-tmpfiles, which leaves alone a folder that somebody has locked, with everything in it.
///
/// The locks are shared and keep nobody from reading, writing or deleting; they end with the process.
@LoopActor
public final class FolderHolds {
    private let most: Int
    private var held: [String: Held] = [:]

    /// A folder that is held. By now, another one may be at its path.
    private final class Held {
        let folder: Descriptor
        let identity: FileIdentity

        /// `nil` if it is not a folder, or is being cleaned at this moment.
        init?(_ path: String) {
            guard let folder = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return nil }
            var status = stat()
            guard fstat(folder.number, &status) == 0, flock(folder.number, LOCK_SH | LOCK_NB) == 0 else { return nil }
            self.folder = folder
            identity = FileIdentity(status)
        }

        func isAt(_ path: String) -> Bool {
            var present = stat()
            return lstat(path, &present) == 0 && FileIdentity(present) == identity
        }
    }

    /// Holds at most `most` folders: each takes an open file, of which a process usually may have 1,024.
    public init(most: Int = 256) {
        self.most = most
    }

    /// The folders that are held.
    public var paths: Set<String> { Set(held.keys) }

    /// Holds these folders, the most important ones first, and releases all others.
    ///
    /// A folder that does not exist, or is being cleaned at this moment, is left out; the next call tries again. A folder that was
    /// removed and made again is locked again.
    public func hold(_ paths: [String]) {
        var next: [String: Held] = [:]
        for path in paths where next[path] == nil {
            guard next.count < most else { break }
            if let before = held[path], before.isAt(path) {
                next[path] = before
            } else {
                next[path] = Held(path)
            }
        }
        held = next
    }
}
