import Annotations
import Model
import Platform
package import Watching

/// Where the user's own mark files are searched for, and which names are ignored.
public struct MarkRoots: Hashable, Sendable {
    /// Absolute, each once, none within another.
    public let folders: [String]
    /// Folders that need not exist.
    let optional: Set<String>
    private let ignored: [FilenamePattern]

    /// Takes folders, and patterns of names in which `*` stands for any characters. A folder that does not exist is reported, unless it
    /// is one of the `optional` ones.
    public init(_ folders: [String], ignoring ignored: [String] = ["*~", ".*", "*.swap"], optional: Set<String> = []) {
        self.optional = optional
        let sorted = Set(folders).sorted()
        self.folders = sorted.filter { folder in !sorted.contains { folder.hasPrefix($0 + "/") } }
        self.ignored = ignored.map { FilenamePattern($0) }
    }

    /// Whether a folder with this name is searched.
    public func admits(folder name: some StringProtocol) -> Bool {
        var name = String(name)
        return name.withUTF8 { !isIgnored(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a file with this name can hold marks.
    public func admits(file name: some StringProtocol) -> Bool {
        var name = String(name)
        return name.withUTF8 { admits(file: UnsafeRawBufferPointer($0)) }
    }

    /// Whether a file whose name has these bytes, valid text or not, can hold marks.
    @Sendable
    public func admits(file name: UnsafeRawBufferPointer) -> Bool {
        MarkFileName.isOfMarks(name) && !isIgnored(name)
    }

    /// Whether the user wants files and folders with this name to be ignored.
    func isIgnored(_ name: UnsafeRawBufferPointer) -> Bool { ignored.contains { $0.matches(name) } }

    /// Whether a path leads to a file that can hold marks, in one of the folders.
    public func admits(path: String) -> Bool {
        guard let root = root(of: path) else { return false }
        let parts = path.utf8.dropFirst(root.utf8.count + 1).split(separator: UInt8(ascii: "/")).map { Substring($0) }
        guard let file = parts.last, admits(file: file) else { return false }
        return parts.dropLast().allSatisfy { admits(folder: $0) }
    }

    /// Whether an event in a folder can concern mark files: it is one of the mark folders, lies in one or contains one.
    func concerns(_ folder: String) -> Bool {
        let prefix = folder == "/" ? "/" : folder + "/"
        return folders.contains { $0 == folder || folder.hasPrefix($0 + "/") || $0.hasPrefix(prefix) }
    }

    /// Whether a path lies in one of the folders.
    func isBelow(_ path: String) -> Bool { root(of: path) != nil }

    /// The mark folder that a path lies in.
    public func root(of path: String) -> String? { folders.first { Self.isPath(path, in: $0) } }

    /// The outermost folder around a path in none of the folders that contains none of them either.
    func outermostFolder(of path: String) -> String {
        var folder = Folder.parent(of: path)
        while folder != "/", !concerns(Folder.parent(of: folder)) { folder = Folder.parent(of: folder) }
        return folder
    }

    /// Whether a folder is one of the mark folders, or is searched because it lies in one.
    func reaches(folder path: String) -> Bool {
        guard let root = root(of: path + "/") else { return false }
        return path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/")).allSatisfy { admits(folder: Substring($0)) }
    }

    /// Lists one of the folders, or a folder below one.
    package func listing(of root: String) -> FileListing {
        FileListing(
            below: root, folder: { admits(folder: $0) }, file: { [self] in admits(file: $0) }, other: { [self] in mayMiss($0, isLink: $1) })
    }

    /// Compares bytes: to Swift, a slash and an accent after it are one character.
    package static func isPath(_ path: String, in folder: String) -> Bool {
        path.utf8.count > folder.utf8.count && path.utf8.starts(with: folder.utf8)
            && path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }
}
