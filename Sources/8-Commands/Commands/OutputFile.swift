import ChartFiles
import CommandLine
import Configuration
import Glibc
import Platform

/// A kind of file that commands write under a name that the user typed. The checks here prevent a typing mistake from destroying
/// another file.
struct OutputFile {
    /// The ending of the file's name, such as `.png`.
    let ending: String
    /// The bytes at the beginning of every file of this kind; empty if files of this kind are text.
    let signature: [UInt8]

    static let png = OutputFile(ending: ".png", signature: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    static let pdf = OutputFile(ending: ".pdf", signature: Array("%PDF-".utf8))
    static let chordPro = OutputFile(ending: ".cho", signature: [])

    private var kind: String { ending.dropFirst().uppercased() }

    static let force = Flag("force", "replace FILE if it is there")

    /// The path given with -o, or else the `usual` name in the current folder. `nil` means standard output: for '-', and if neither
    /// -o nor a `usual` name is given. Throws for a file that must not be written. Also throws for standard output with --json, and
    /// for output other than text on a terminal.
    func target(
        _ invocation: Invocation, _ context: CommandContext, _ paths: Paths, usual: String?
    ) throws(CommandFailure) -> String? {
        let named: String? = invocation.value("output")
        guard let title = named ?? usual, named?.hasSuffix("/-") != true else {
            guard !invocation.has("json") else {
                throw CommandFailure(.usage, "--json tells where the file is, so it needs a file: name one with -o FILE")
            }
            guard signature.isEmpty || !context.output.terminal.shows(.results) else {
                throw CommandFailure(.usage, "a \(kind) cannot be shown on a terminal; name a file with -o FILE")
            }
            return nil
        }
        guard let folder = PathBase.currentFolder ?? named else {
            throw CommandFailure(.failed, "the current folder is gone; name a file with -o FILE")
        }
        let target = named ?? folder + "/" + FileName.sanitised(title) + ending
        try Self.refuseOwn(target, paths)
        try check(target, mayReplace: invocation.has(Self.force.name))
        return target
    }

    /// Refuses any path in Woodshed's data and cache folders, and any link that leads there, since not even --force may replace a
    /// chart or a page image.
    static func refuseOwn(_ path: String, _ paths: Paths) throws(CommandFailure) {
        let folder = Folder.parent(of: path)
        // A link to a chart must be kept even while the chart is gone, so a link's target is checked whether it exists or not.
        let target = FolderListing.target(of: path).map { $0.hasPrefix("/") ? $0 : folder + "/" + $0 }
        for place in [path, folder, target ?? path].map(Folder.real) {
            for own in [paths.data, paths.cache].map(Folder.real) where place == own || place.hasPrefix(own + "/") {
                throw CommandFailure(.usage, "\(path) leads to where Woodshed keeps its own files; name a place outside \(own)")
            }
        }
    }

    /// A temporary file for the output until it is complete. It is in the target's folder, or for standard output in the folder `cache`.
    static func begin(_ target: String?, cache: String) throws -> TemporaryFile {
        // The file gets the same permissions as any other that the user creates.
        if let target { return try TemporaryFile.create(inFolderOf: target, mode: 0o666) }
        try Folder.create(cache)
        return try TemporaryFile.create(inFolderOf: cache + "/output")
    }

    static func finish(_ file: TemporaryFile, as target: String?, _ invocation: Invocation, on output: Output) throws {
        guard let target else {
            return try AtomicFile.read(file.path, limit: 1 << 30).withUnsafeBytes { output.result(bytes: $0) }
        }
        if invocation.has(force.name) {
            try file.publish(as: target, durability: .synced)
        } else if try !file.publish(as: target, inPlaceOf: isEmpty) {
            throw CommandFailure(.failed, "\(target) has just appeared; choose another name")
        }
    }

    /// An empty file may be replaced, since a script may have created it for the output.
    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Refuses a name with another ending, and one in a folder that does not exist. Refuses an existing file unless it is empty, or
    /// it has the same signature and `mayReplace` is set.
    private func check(_ target: String, mayReplace: Bool) throws(CommandFailure) {
        guard target.lowercased().hasSuffix(ending) else {
            throw CommandFailure(.usage, "'\(target)' does not end in \(ending); that is what is written, so name it so")
        }
        var status = stat()
        let folder = Folder.parent(of: target)
        guard stat(folder, &status) == 0 || errno != ENOENT else { throw CommandFailure(.failed, "there is no folder \(folder)") }
        guard lstat(target, &status) == 0, !Self.isEmpty(target) else { return }
        var start = [UInt8](repeating: 0, count: signature.count)
        // Open without blocking, since the file may have been replaced by a pipe just now.
        let isSame =
            if stat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                let file = try? Descriptor.open(target, O_RDONLY | O_NONBLOCK)
            {
                Glibc.read(file.number, &start, start.count) == start.count && start == signature
            } else {
                false
            }
        guard isSame else {
            throw CommandFailure(.usage, "\(target) is there already and is not a \(kind), so it is left alone; choose another name for -o")
        }
        guard mayReplace else {
            throw CommandFailure(.usage, "\(target) is there already; --force replaces it, or choose another name with -o")
        }
    }
}
