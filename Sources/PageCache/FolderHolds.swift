import Glibc
public import Platform

/// Holds folders against systemd-tmpfiles, which passes over a folder that somebody has a lock on, with all that is in it.
///
/// The locks are shared ones and keep nobody from reading, writing or deleting; they end with the process.
@LoopActor
public final class FolderHolds {
    private let most: Int
    private var held: [String: Held] = [:]

    /// A folder that is held. What stands at its path may be another one by now.
    private final class Held {
        let folder: Descriptor
        let status: stat

        /// `nil` for what is no folder, or is being cleaned at this moment.
        init?(_ path: String) {
            guard let folder = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return nil }
            var status = stat()
            guard fstat(folder.number, &status) == 0, flock(folder.number, LOCK_SH | LOCK_NB) == 0 else { return nil }
            self.folder = folder
            self.status = status
        }

        func isAt(_ path: String) -> Bool {
            var present = stat()
            return lstat(path, &present) == 0 && present.st_ino == status.st_ino && present.st_dev == status.st_dev
        }
    }

    /// Makes what holds at most `most` folders: each costs an open file, of which a process usually may have 1,024.
    public init(most: Int = 256) {
        self.most = most
    }

    /// The folders that are held.
    public var paths: Set<String> { Set(held.keys) }

    /// Holds these folders, the most important ones first, and lets go of all others.
    ///
    /// One that is not there, or is being cleaned at this moment, is left out; the next call tries again. A folder that was
    /// removed and made anew is held anew.
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
