import Glibc
import Model
import Platform

/// The folder of the musician's own sets, on one of three disks. The third one is always empty, as a place where no disk is mounted.
@LoopActor
final class SetMusic {
    /// A file as it is, and as it will be when the program that writes it has finished.
    struct File {
        var text: String
        var whole: String

        var isWhole: Bool { text == whole }
    }

    let path: String
    /// The modification time for written files.
    var timeOfDay: @LoopActor () -> Duration = { .zero }
    private var disks: [[String: File]] = [[:], [:], [:]]
    private var folders: [Set<String>] = [[], [], []]
    /// The disk that is in place; `nil` if the folder itself is away.
    private(set) var disk: Int? = 0
    /// What lay in the folder after the last change.
    private var stamps: [String: FileStamp] = [:]

    init(_ path: String) throws {
        self.path = path
        for place in [path, path + " 1", path + " 2"] { try Folder.create(place) }
    }

    func path(_ name: String) -> String { path + "/" + name }

    /// Whether the musician can write to the folder.
    var isWritable: Bool { disk == 0 || disk == 1 }

    /// The files in place, by their paths in the folder.
    var files: [String: File] { disk.map { disks[$0] } ?? [:] }

    /// The folders that are sets.
    var sets: [String] { disk.map { folders[$0].filter { $0 != Self.book }.sorted() } ?? [] }

    static let book = "Book"

    /// The names of the files of a set, or of any other folder.
    func names(in folder: String) -> [String] { files.keys.filter { $0.hasPrefix(folder + "/") }.sorted() }

    /// The lists of songs.
    var lists: [String] { files.keys.filter { $0.hasSuffix(".txt") }.sorted() }

    // MARK: Changes

    func makeFolder(_ name: String) throws {
        guard let disk else { return }
        try Folder.create(path(name))
        folders[disk].insert(name)
        note()
    }

    /// Writes a file, under its own name or as another file that is renamed. `whole` is what it will be; `nil` if it is finished.
    func write(_ name: String, _ text: String, whole: String? = nil, inPlace: Bool) throws {
        guard let disk else { return }
        if inPlace {
            let file = try Descriptor.open(path(name), O_WRONLY | O_CREAT | O_TRUNC)
            try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        } else {
            try Array(text.utf8).withUnsafeBytes { try AtomicFile.write($0, to: path(name), durability: .none) }
        }
        let time = timeOfDay().components
        let stamp = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.attoseconds / 1_000_000_000))
        utimensat(AT_FDCWD, path(name), [stamp, stamp], 0)
        disks[disk][name] = File(text: text, whole: whole ?? text)
        note()
    }

    func remove(_ name: String) throws {
        guard let disk else { return }
        guard unlink(path(name)) == 0 else { throw SystemError("remove", path: path(name)) }
        disks[disk][name] = nil
        note()
    }

    /// Removes a folder that has nothing in it; does nothing if there is none.
    func removeFolder(_ name: String) throws {
        guard let disk, folders[disk].remove(name) != nil else { return }
        guard rmdir(path(name)) == 0 else { throw SystemError("remove", path: path(name)) }
        note()
    }

    /// Moves a file, or a folder with everything in it.
    func move(_ name: String, to other: String) throws {
        guard let disk else { return }
        guard rename(path(name), path(other)) == 0 else { throw SystemError("rename", path: path(name)) }
        for old in files.keys where old == name || old.hasPrefix(name + "/") {
            disks[disk][other + old.dropFirst(name.count)] = disks[disk].removeValue(forKey: old)
        }
        if folders[disk].remove(name) != nil { folders[disk].insert(other) }
        note()
    }

    /// Moves all files of a set to a new folder, as a program that syncs folders does.
    func makeAgain(_ set: String, as other: String) throws {
        guard let disk else { return }
        try makeFolder(other)
        for name in names(in: set) {
            guard let file = files[name] else { continue }
            try write(other + name.dropFirst(set.count), file.text, whole: file.whole, inPlace: false)
            try remove(name)
        }
        guard rmdir(path(set)) == 0 else { throw SystemError("remove", path: path(set)) }
        folders[disk].remove(set)
        note()
    }

    /// Puts another disk in place, or none.
    func mount(_ number: Int?) throws {
        guard number != disk else { return }
        let moves: [(String?, String?)] = [(path, disk.map { "\(path) \($0)" }), (number.map { "\(path) \($0)" }, path)]
        for (from, to) in moves {
            guard let from, let to else { continue }
            guard rename(from, to) == 0 else { throw SystemError("rename", path: from) }
        }
        disk = number
        note()
    }

    // MARK: What is there

    /// The files that differ from what they were after the musician's last change.
    func differences() -> [String] {
        let found = listed()
        return Set(found.keys).union(stamps.keys).filter { found[$0] != stamps[$0] }.sorted()
    }

    private func note() { stamps = listed() }

    /// The stamp of every file and, without its times, of every folder.
    private func listed() -> [String: FileStamp] {
        var found: [String: FileStamp] = [:]
        list("", into: &found)
        return found
    }

    private func list(_ folder: String, into found: inout [String: FileStamp]) {
        for name in (try? Folder.names(in: folder.isEmpty ? path : path(folder))) ?? [] {
            let inner = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            guard lstat(path(inner), &status) == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let stamp = FileStamp(status)
            found[inner] = isFolder ? FileStamp(device: stamp.device, inode: stamp.inode, size: 0, modified: 0) : stamp
            if isFolder { list(inner, into: &found) }
        }
    }
}
