public import Glibc
import Synchronization

/// Files that are visible complete or not at all: written under a temporary name in the same folder, then renamed.
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

    /// Reads a file of at most `limit` bytes, and never waits: anything but a regular file is refused.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.openFile(path)
        return try file.readAll(limit: limit, path: path)
    }

    /// Removes the temporary files of this user in `folder` that nobody writes to any more.
    ///
    /// A writer holds a lock on its file for as long as it lives, so one that can be locked was left by a killed process.
    public static func removeAbandoned(in folder: String, followingLinks: Bool = true) {
        try? Folder.visit(folder, followingLinks: followingLinks) { entry in
            let name = entry.text
            // Most files have other names, and a regular expression is made anew at each use.
            guard name.utf8.starts(with: Self.temporaryPrefix.utf8), name.wholeMatch(of: /\.tmp-[0-9]+-[0-9]+/) != nil,
                entry.isOwnFile
            else { return }
            // It may have become something else in between; these flags make sure that it is neither followed nor waited for.
            let number = openat(entry.folder, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard number >= 0 else { return }
            let file = Descriptor(owning: number)
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unlinkat(entry.folder, entry.name, 0) }
        }
    }
}

/// A file in the making: visible only under a temporary name, locked while its writer lives, removed if it is dropped.
public final class TemporaryFile: Sendable {
    /// Where it is until it is published.
    public let path: String
    /// For another writer, such as a child process.
    public let descriptor: Int32
    private let isDone: Atomic<Bool>
    private let isUnnamed: Bool
    private static let counter = Atomic<UInt64>(0)

    private init(path: String, descriptor: Int32, isUnnamed: Bool = false) {
        (self.path, self.descriptor, self.isUnnamed) = (path, descriptor, isUnnamed)
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
                return TemporaryFile(path: path, descriptor: descriptor)
            }
            // A dead process may have had our number; a file with that name may just as well be somebody's.
            guard errno == EEXIST else { throw SystemError("create", path: path) }
        }
    }

    /// Creates an empty file in the same folder as `target` that has no name before it is whole, if the file system has such files: other
    /// programs may look into the folder and send around whatever is there. `name` is for the moment before it takes its place, or for all
    /// the time; it belongs to this writer alone, so a file that a kill left under it is removed.
    public static func createUnnamed(
        inFolderOf target: String, mode: UInt32 = 0o600, as name: String
    ) throws(SystemError) -> TemporaryFile {
        let folder = Folder.parent(of: target)
        let path = folder + "/" + name
        unlink(path)
        let unnamed = Folder.openUnnamedFile(in: folder, mode: mode)
        if unnamed >= 0 { return TemporaryFile(path: path, descriptor: unnamed, isUnnamed: true) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError("create", path: path) }
        return TemporaryFile(path: path, descriptor: descriptor)
    }

    /// Gives a file that has no name yet its temporary one. Only from there it is renamed: a watcher of the folder gets events for renamed
    /// files, but not for files that just get a name.
    private func linkToPath() throws(SystemError) {
        guard isUnnamed else { return }
        guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw SystemError("publish", path: path)
        }
        isDone.store(false, ordering: .relaxed)
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try Descriptor.write(bytes, to: descriptor, path: path)
    }

    /// Renames the file to its final name, in the same folder, replacing what is there.
    public func publish(as target: String, durability: AtomicFile.Durability) throws(SystemError) {
        if durability == .synced { try syncContent() }
        try linkToPath()
        guard rename(path, target) == 0 else { throw SystemError("publish", path: target) }
        isDone.store(true, ordering: .relaxed)
        if durability == .synced { try Folder.sync(Folder.parent(of: target)) }
    }

    /// Gives the file its final name, in the same folder, if nothing has that name: content and name are then on the disk. Answers
    /// whether the name was free; if not, nothing has happened.
    public func publishWhereFree(as target: String) throws(SystemError) -> Bool {
        try syncContent()
        try linkToPath()
        guard try SafeRename.move(path, toFree: target) else { return false }
        isDone.store(true, ordering: .relaxed)
        try Folder.sync(Folder.parent(of: target))
        return true
    }

    /// Its name, or that of what it replaces, while the two change places.
    ///
    /// For a moment, or after a kill or a failure for good, what somebody saved can have it. So nothing is removed under that name as
    /// abandoned, or with this object.
    public var nameInExchange: String { (path.split(separator: "/").last ?? "") + "-exchanged" }

    /// Gives the file its final name, in the same folder, if that is free, or if what has it `isExpected`: content and name are then on the
    /// disk. Answers whether it did; if not, nothing has happened. Calls `renamed` as soon as it has the name, whatever fails after that.
    public func publish(
        as target: String, inPlaceOf isExpected: (String) -> Bool, renamed: () -> Void = {}
    ) throws(SystemError) -> Bool {
        try syncContent()
        let exchanged = Folder.parent(of: path) + "/" + nameInExchange
        guard try SafeRename.move(path, toFree: exchanged) else { throw SystemError("move", path: path, code: EEXIST) }
        // Without the name, this file is of no use.
        defer { if isThis(exchanged) { unlink(exchanged) } }
        guard try SafeRename.replace(target, by: exchanged, if: isExpected) else { return false }
        unlink(exchanged)
        renamed()
        try Folder.sync(Folder.parent(of: target))
        return true
    }

    /// Whether the file at `path` is this one.
    private func isThis(_ path: String) -> Bool {
        var (ours, found) = (stat(), stat())
        return fstat(descriptor, &ours) == 0 && lstat(path, &found) == 0 && (ours.st_dev, ours.st_ino) == (found.st_dev, found.st_ino)
    }

    /// Writes the contents of another file.
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

    /// Makes sure that the written bytes are on the disk, which may only now turn out to be full.
    public func syncContent() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError("write", path: path) }
    }
}
