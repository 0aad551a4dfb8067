public import Glibc
import Synchronization

/// Writes files that become visible complete or not at all: each is written under a temporary name in its folder, then renamed.
public enum AtomicFile {
    /// The beginning of every temporary name; readers and listings skip such files.
    public static let temporaryPrefix = ".tmp-"

    /// What is done before `write` returns so that the new content survives a power cut.
    public enum Durability: Sendable {
        /// Nothing: for files that can be made again.
        case none
        /// The content and the name are on the disk when `write` returns.
        case synced
    }

    /// Writes `bytes` to `path`, replacing any file there. After a failure, the old content is still there (or the new content, if only
    /// its final sync failed), and no other file remains.
    public static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t = 0o600, durability: Durability = .synced
    ) throws(SystemError) {
        let temporary = try TemporaryFile.create(inFolderOf: path, mode: mode)
        try temporary.write(bytes)
        try temporary.publish(as: path, durability: durability)
    }

    /// Writes `text` to `path`, replacing any file there.
    public static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws(SystemError) {
        do {
            var text = text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: path, mode: mode) }
        } catch {
            throw error as? SystemError ?? SystemError("write", path: path, code: EIO)
        }
    }

    /// Reads a file of at most `limit` bytes; throws `EFBIG` if it is larger. Throws for anything but a regular file, so it never waits.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.openFile(path)
        return try file.readAll(limit: limit, path: path)
    }

    /// Removes those temporary files of this user in `folder` that nobody is writing any more.
    ///
    /// A writer locks its file until the writer's process ends; so if the file can be locked, a killed process left it.
    public static func removeAbandoned(in folder: String, followingLinks: Bool = true) {
        try? Folder.visit(folder, followingLinks: followingLinks) { entry in
            let name = entry.text
            // Most files have other names, and a regular expression is compiled at each use.
            guard name.utf8.starts(with: Self.temporaryPrefix.utf8), name.wholeMatch(of: /\.tmp-[0-9]+-[0-9]+/) != nil,
                entry.isOwnFile
            else { return }
            // The file may have been replaced meanwhile; these flags prevent following a link or waiting.
            let number = openat(entry.folder, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard number >= 0 else { return }
            let file = Descriptor(owning: number)
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unlinkat(entry.folder, entry.name, 0) }
        }
    }
}

/// A file being written: it has only a temporary name, is locked while its writer lives, and is removed if it is never published.
public final class TemporaryFile: Sendable {
    /// The file's path until it is published.
    public let path: String
    /// The number for another writer, such as a child process.
    public let descriptor: Int32
    /// The path for errors: nobody knows the temporary one.
    private let target: String
    private let isDone: Atomic<Bool>
    private let isUnnamed: Bool
    private static let counter = Atomic<UInt64>(0)

    private init(path: String, for target: String, descriptor: Int32, isUnnamed: Bool = false) {
        (self.path, self.target, self.descriptor, self.isUnnamed) = (path, target, descriptor, isUnnamed)
        isDone = Atomic(isUnnamed)
    }

    deinit {
        if !isDone.load(ordering: .relaxed) { unlink(path) }
        close(descriptor)
    }

    /// Creates an empty file in the same folder as `target`.
    public static func create(inFolderOf target: String, mode: UInt32 = 0o600) throws(SystemError) -> TemporaryFile {
        while true {
            let number = counter.add(1, ordering: .relaxed).newValue
            let path = Folder.parent(of: target) + "/\(AtomicFile.temporaryPrefix)\(getpid())-\(number)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            if descriptor >= 0 {
                flock(descriptor, LOCK_EX | LOCK_NB)
                return TemporaryFile(path: path, for: target, descriptor: descriptor)
            }
            // A dead process may have had this process's number, or somebody else made a file with that name.
            guard errno == EEXIST else { throw SystemError("create", path: target) }
        }
    }

    /// Creates a file in the same folder as `target`, if possible without a name until it is complete: other programs may copy
    /// whatever they see in the folder. The file is called `name` from the beginning or just before it is renamed. No other
    /// writer may use `name`, so a file left there by a kill is removed.
    public static func createUnnamed(
        inFolderOf target: String, mode: UInt32 = 0o600, as name: String
    ) throws(SystemError) -> TemporaryFile {
        let folder = Folder.parent(of: target)
        let path = folder + "/" + name
        unlink(path)
        let unnamed = Folder.openUnnamedFile(in: folder, mode: mode)
        if unnamed >= 0 { return TemporaryFile(path: path, for: target, descriptor: unnamed, isUnnamed: true) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError("create", path: target) }
        return TemporaryFile(path: path, for: target, descriptor: descriptor)
    }

    /// Gives an unnamed file its temporary name. Only renaming gives it the final one: a watcher of the folder gets events for
    /// renamed files, but not for files that are given a name.
    private func linkToPath() throws(SystemError) {
        guard isUnnamed else { return }
        guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw SystemError("publish", path: target)
        }
        isDone.store(false, ordering: .relaxed)
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try Descriptor.write(bytes, to: descriptor, path: target)
    }

    /// Renames the file to its final name in the same folder, replacing any file there.
    public func publish(as target: String, durability: AtomicFile.Durability) throws(SystemError) {
        if durability == .synced { try syncContent() }
        try linkToPath()
        guard rename(path, target) == 0 else { throw SystemError("publish", path: target) }
        isDone.store(true, ordering: .relaxed)
        if durability == .synced { try Folder.sync(Folder.parent(of: target)) }
    }

    /// Renames the file to `target`, in the same folder, if no file has that name. Content and name are then on the disk. Returns
    /// whether the name was free; if not, nothing has changed.
    public func publishWhereFree(as target: String) throws(SystemError) -> Bool {
        try syncContent()
        try linkToPath()
        guard try SafeRename.move(path, toFree: target) else { return false }
        isDone.store(true, ordering: .relaxed)
        try Folder.sync(Folder.parent(of: target))
        return true
    }

    /// The file's name, or that of the file it replaces, while the two change places.
    ///
    /// For a moment, or for good after a kill or a failure, a user's file may have this name; so no file with this name is
    /// removed as abandoned or on deinit.
    public var nameInExchange: String { (path.split(separator: "/").last ?? "") + "-exchanged" }

    /// Renames the file to `target`, in the same folder, if that name is free or the file there `isExpected`. Content and name are then on
    /// the disk. Returns whether it did; if not, nothing has changed. Calls `renamed` right after the renaming, even if a later step fails.
    public func publish(
        as target: String, inPlaceOf isExpected: (String) -> Bool, renamed: () -> Void = {}
    ) throws(SystemError) -> Bool {
        try syncContent()
        let exchanged = Folder.parent(of: path) + "/" + nameInExchange
        guard try SafeRename.move(path, toFree: exchanged) else { throw SystemError("move", path: path, code: EEXIST) }
        // If the file did not get the name, it is of no use.
        defer { if isThis(exchanged) { unlink(exchanged) } }
        guard try SafeRename.replace(target, by: exchanged, if: isExpected) else { return false }
        unlink(exchanged)
        renamed()
        try Folder.sync(Folder.parent(of: target))
        return true
    }

    /// Whether the file at `path` is the one that this object writes.
    private func isThis(_ path: String) -> Bool {
        var (ours, found) = (stat(), stat())
        return fstat(descriptor, &ours) == 0 && lstat(path, &found) == 0 && (ours.st_dev, ours.st_ino) == (found.st_dev, found.st_ino)
    }

    /// Writes the contents of another file to this one.
    public func write(contentOf other: TemporaryFile) throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var place = 0
        while true {
            let count = chunk.withUnsafeMutableBytes { pread(other.descriptor, $0.baseAddress, $0.count, place) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read", path: other.path) }
            if count == 0 { return }
            let written = chunk.withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try write(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
            }
            try written.get()
            place += count
        }
    }

    /// Waits until the written bytes are on the disk. Only this may reveal that the disk is full.
    public func syncContent() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError("write", path: target) }
    }
}
