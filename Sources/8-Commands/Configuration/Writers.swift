import Glibc
import Model
import Platform

/// Who else can change what is in a file: root may, and ourselves.
enum Writers {
    /// What to run so that nobody else can change an open file, or put another one in its place; `nil` if that is so.
    static func remedy(_ file: Int32, at path: String) throws(SystemError) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw SystemError("read", path: path) }
        let real = Folder.real(path)
        var remedies = [remedy(status, real)]
        // A link can be replaced where it is, and its target where that is.
        let folders = Set([path, real].map(Folder.parent))
        for folder in folders.sorted() where stat(folder, &status) == 0 { remedies.append(remedy(status, folder)) }
        // Whoever may write to a folder above can put another one in its place.
        for folder in Set(folders.flatMap(above)).subtracting(folders).sorted() where stat(folder, &status) == 0 {
            remedies.append(isClosed(status) ? nil : (status.st_uid == geteuid() ? "" : "sudo ") + closing(folder))
        }
        let needed = remedies.compactMap(\.self)
        return needed.isEmpty ? nil : needed.joined(separator: " && ")
    }

    private static func remedy(_ status: stat, _ path: String) -> String? {
        guard status.st_uid == 0 || status.st_uid == geteuid() else { return "sudo chown \"$USER\" \(path.shellQuoted)" }
        return isClosed(status) ? nil : closing(path)
    }

    /// In a folder like /tmp, nobody can replace somebody else's file.
    private static func isClosed(_ status: stat) -> Bool {
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        return status.st_mode & 0o022 == 0 || isSticky
    }

    private static func closing(_ path: String) -> String { "chmod go-w \(path.shellQuoted)" }

    /// The folders that a folder is in, up to the first of all.
    private static func above(_ folder: String) -> [String] {
        var (all, next) = ([String](), Folder.parent(of: folder))
        while all.last != next {
            all.append(next)
            next = Folder.parent(of: next)
        }
        return all
    }
}
