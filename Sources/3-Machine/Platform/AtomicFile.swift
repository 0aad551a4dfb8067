public import Glibc

/// Files that are seen complete or not at all: written under a temporary name in the same folder, then renamed.
public enum AtomicFile {
    /// The beginning of every temporary name; readers and listings skip such files.
    public static let temporaryPrefix = ".tmp-"

    /// How much is done before the rename so that the new content survives a power cut.
    public enum Durability: Sendable {
        /// For files that can be made again.
        case none
        /// Content and name are on the disk when `write` returns.
        case synced
    }

    /// Writes `bytes` to `path`, replacing what is there. A failure leaves the old content, and nothing else behind.
    public static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t = 0o600, durability: Durability = .synced
    ) throws(SystemError) {
        let temporary = try TemporaryFile.create(inFolderOf: path, mode: mode)
        try temporary.write(bytes)
        try temporary.publish(as: path, durability: durability)
    }

    /// Writes `text` to `path`, replacing what is there.
    public static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws(SystemError) {
        do {
            var text = text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: path, mode: mode) }
        } catch {
            throw error as? SystemError ?? SystemError("write", path: path, code: EIO)
        }
    }

    /// Reads a file that may be at most `limit` bytes long.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.open(path, O_RDONLY)
        return try file.readAll(limit: limit, path: path)
    }

    /// Removes the temporary files in `folder` that nobody writes to any more.
    ///
    /// A writer holds a lock on its file for as long as it lives, so one that can be locked was left by a killed process.
    public static func removeAbandoned(in folder: String) {
        for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(temporaryPrefix) {
            let path = folder + "/" + name
            guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW) else { continue }
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
        }
    }
}
