import Glibc
public import Platform

/// The folder of a musician's mark files, and the events that a watcher would report.
@LoopActor
public final class MusicFolder {
    public let path: String
    /// Receives the events; nil while no agent is running.
    public var events: SimulatedFileEvents?
    /// The modification time for written files, in tests that must not depend on the machine's clock.
    public var timeOfDay: (@LoopActor () -> Duration)?
    /// The bytes that tests wrote, by the path within the folder.
    public private(set) var files: [String: [UInt8]] = [:]
    public private(set) var folders: Set<String> = []

    public init(_ path: String) throws {
        self.path = path
        try Folder.create(path)
    }

    public func path(_ name: String) -> String { path + "/" + name }

    // MARK: Ways to save

    /// Writes a file under a temporary name, and then renames it.
    public func save(_ bytes: [UInt8], as name: String) throws {
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path(name), durability: .none) }
        files[name] = bytes
        setTime(of: name)
        report(.written(path(name)))
    }

    public func save(_ text: String, as name: String) throws { try save(Array(text.utf8), as: name) }

    /// Overwrites the file in place, or creates it. Sends the event for closing the file, unless `isClosed` is false.
    public func overwrite(_ bytes: [UInt8], as name: String, isClosed: Bool = true) throws {
        let file = try Descriptor.open(path(name), O_WRONLY | O_CREAT | O_TRUNC)
        try bytes.withUnsafeBytes { try file.write($0) }
        files[name] = bytes
        setTime(of: name)
        if isClosed { report(.written(path(name))) }
    }

    /// Appends bytes to a file. Sends the event for closing the file, unless `isClosed` is false.
    public func append(_ bytes: ArraySlice<UInt8>, to name: String, isClosed: Bool = true) throws {
        let file = try Descriptor.open(path(name), O_WRONLY | O_APPEND)
        try Array(bytes).withUnsafeBytes { try file.write($0) }
        files[name, default: []] += bytes
        setTime(of: name)
        if isClosed { report(.written(path(name))) }
    }

    /// Sends the event for closing a written file, after a call with `isClosed` false.
    public func close(_ name: String) { report(.written(path(name))) }

    public func rename(_ name: String, to other: String) throws {
        guard Glibc.rename(path(name), path(other)) == 0 else { throw SystemError("rename", path: path(name)) }
        files[other] = files.removeValue(forKey: name)
        report(.removed(path(name)))
        report(.written(path(other)))
    }

    public func delete(_ name: String) throws {
        guard unlink(path(name)) == 0 else { throw SystemError("delete", path: path(name)) }
        files[name] = nil
        report(.removed(path(name)))
    }

    /// Saves in the steps of Xournal++, with a `pause` after each.
    public func saveAsXournalDoes(_ bytes: [UInt8], as name: String, pause: () async throws -> Void = {}) async throws {
        if files[name] != nil { try rename(name, to: name + "~") }
        try await pause()
        try overwrite([], as: name, isClosed: false)
        try await pause()
        for piece in 0..<3 {
            try append(bytes[(bytes.count * piece / 3)..<(bytes.count * (piece + 1) / 3)], to: name, isClosed: piece == 2)
            try await pause()
        }
        if files[name + "~"] != nil { try delete(name + "~") }
    }

    // MARK: Folders

    public func makeFolder(_ name: String) throws {
        try Folder.create(path(name))
        folders.insert(name)
        report(.rescan(path(name)))
    }

    /// Moves a folder with everything in it.
    public func moveFolder(_ name: String, to other: String) throws {
        guard Glibc.rename(path(name), path(other)) == 0 else { throw SystemError("rename", path: path(name)) }
        func moved(_ old: String) -> String { other + old.dropFirst(name.count) }
        for old in files.keys where old.hasPrefix(name + "/") { files[moved(old)] = files.removeValue(forKey: old) }
        for old in folders where old == name || old.hasPrefix(name + "/") {
            folders.remove(old)
            folders.insert(moved(old))
        }
        report(.folderRemoved(path(name)))
        report(.rescan(path(other)))
    }

    /// Requests a scan of the whole folder, as after the kernel dropped events.
    public func rescan() { report(.rescan(path)) }

    private func setTime(of name: String) {
        guard let time = timeOfDay?().components else { return }
        let stamp = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.attoseconds / 1_000_000_000))
        utimensat(AT_FDCWD, path(name), [stamp, stamp], 0)
    }

    private func report(_ event: FileEvent) { events?.send(event) }

    // MARK: What is there

    /// The names of files whose bytes are not those that tests wrote, and of files that are missing or were not written by tests.
    public func differences() throws -> [String] {
        var found: [String: [UInt8]] = [:]
        try collect("", into: &found)
        return Set(found.keys).union(files.keys).filter { found[$0] != files[$0] }.sorted()
    }

    private func collect(_ folder: String, into found: inout [String: [UInt8]]) throws {
        for name in try Folder.names(in: path(folder)) {
            let inner = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            guard lstat(path(inner), &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: found[inner] = try AtomicFile.read(path(inner), limit: 1 << 24)
            case S_IFDIR: try collect(inner, into: &found)
            default: break
            }
        }
    }
}
