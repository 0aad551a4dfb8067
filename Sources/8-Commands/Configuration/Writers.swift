import Glibc
import Model
import Platform

/// Finds out whether users other than root and this one can change a file or the contents of a folder.
enum Writers {
    /// A command that stops other users from changing or replacing an open file; nil if they cannot do so.
    static func remedy(_ file: Int32, at path: String) throws(SystemError) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw SystemError("read", path: path) }
        let real = Folder.real(path)
        var remedies = [remedy(status, real)]
        // A link can be replaced in its folder, and its target in the target's folder.
        let folders = Set([path, real].map(Folder.parent))
        for folder in folders.sorted() where stat(folder, &status) == 0 { remedies.append(remedy(status, folder)) }
        // A user with write access to a folder further up can replace everything below it.
        for folder in Set(folders.flatMap(above)).subtracting(folders).sorted() where stat(folder, &status) == 0 {
            remedies.append(isClosed(status) ? nil : (status.st_uid == geteuid() ? "" : "sudo ") + closing(folder))
        }
        let needed = remedies.compactMap(\.self)
        return needed.isEmpty ? nil : needed.joined(separator: " && ")
    }

    /// A command that lets this user read a file that cannot be opened for lack of permission. If it is `forAll`, it is the machine's,
    /// and lets every user read it.
    static func opening(_ path: String, forAll: Bool) -> String {
        var (place, status) = (path, stat())
        // In a closed folder, not even the status of a file can be read.
        while stat(place, &status) != 0, errno == EACCES, place != "/" { place = Folder.parent(of: place) }
        let rights = status.st_mode & S_IFMT == S_IFDIR ? "rx" : "r"
        if status.st_uid == geteuid() { return "chmod \(forAll ? "a" : "u")+\(rights) \(place.shellQuoted)" }
        return forAll ? "sudo chmod a+\(rights) \(place.shellQuoted)" : "sudo chown \"$USER\" \(place.shellQuoted)"
    }

    /// Why a folder must not hold our files, with a remedy; nil if it may. Another user may have created the folder or its parent
    /// first, to read or change everything stored there.
    static func danger(to folder: String) -> String? {
        var status = stat()
        for path in [folder, Folder.parent(of: folder)] where lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR {
            let isOurs = geteuid() == 0 || [0, geteuid()].contains(status.st_uid)
            guard isOurs else {
                return "\(path) belongs to another user, who could read and change what is kept there; choose another folder"
            }
            guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
                return "everybody on this machine can change what is in \(path); run: \(closing(path))"
            }
        }
        return nil
    }

    private static func remedy(_ status: stat, _ path: String) -> String? {
        guard status.st_uid == 0 || status.st_uid == geteuid() else { return "sudo chown \"$USER\" \(path.shellQuoted)" }
        return isClosed(status) ? nil : closing(path)
    }

    /// Whether only the owner may change the file or folder with this status. A sticky folder like /tmp counts, too, since nobody
    /// can replace another user's file in it.
    private static func isClosed(_ status: stat) -> Bool {
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        return status.st_mode & 0o022 == 0 || isSticky
    }

    private static func closing(_ path: String) -> String { "chmod go-w \(path.shellQuoted)" }

    /// The folders above a folder, up to the root.
    private static func above(_ folder: String) -> [String] {
        var (all, next) = ([String](), Folder.parent(of: folder))
        while all.last != next {
            all.append(next)
            next = Folder.parent(of: next)
        }
        return all
    }
}
