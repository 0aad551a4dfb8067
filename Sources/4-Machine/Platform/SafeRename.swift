import CShims
import Glibc

/// Renames that cannot destroy anybody's file, not even a file created a moment before. On file systems without such renames, a
/// check precedes the rename.
public enum SafeRename {
    /// Renames `path` to `target`, in the same file system, if that name is free. Returns whether it was free.
    public static func move(_ path: String, toFree target: String) throws(SystemError) -> Bool {
        if woodshed_rename_to_free(path, target) == 0 { return true }
        if errno == EEXIST { return false }
        guard isUnsupported else { throw SystemError("move", path: path) }
        // Some file systems cannot refuse a taken name when they rename a file. Making a hard link also fails if the name is taken.
        if link(path, target) == 0 {
            unlink(path)
            return true
        }
        if errno == EEXIST { return false }
        // Some file systems have no hard links, and folders can never have any: then the best remaining way is to check first.
        var status = stat()
        guard lstat(target, &status) != 0 else { return false }
        guard errno == ENOENT, rename(path, target) == 0 else { throw SystemError("move", path: path) }
        return true
    }

    /// Replaces the symbolic link at `path` with the symbolic link `new` in the same folder. Returns whether there was a link or
    /// nothing; leaves anything else unchanged.
    public static func replaceLink(at path: String, by new: String) throws(SystemError) -> Bool {
        // Remove only a link: if the names could not be swapped back, `new` is now somebody's saved file.
        defer { _ = try? removeLink(at: new) }
        return try replace(path, by: new, if: isLink)
    }

    /// Renames `new` to `path`, in the same folder, if that name is free or `isExpected` accepts the file there, which may be
    /// called `new` by then. Returns whether `new` was renamed; if not, the former file has its name again. After an error, `new`
    /// may be somebody's saved file.
    static func replace(_ path: String, by new: String, if isExpected: (String) -> Bool) throws(SystemError) -> Bool {
        if woodshed_exchange(new, path) == 0 {
            // The former file has the name `new` now, where nobody else touches it.
            if isExpected(new) { return true }
            if woodshed_exchange(new, path) == 0 { return false }
            // Somebody has just removed the file at `path`, so give the former one its name back.
            if errno == ENOENT, (try? move(new, toFree: path)) == true { return false }
            throw SystemError("put back \(path), which stays as", path: new)
        }
        if errno == ENOENT { return try move(new, toFree: path) }
        guard isUnsupported else { throw SystemError("replace", path: path) }
        guard isExpected(path) else { return false }
        guard rename(new, path) == 0 else { throw SystemError("replace", path: path) }
        return true
    }

    /// Removes a symbolic link. Returns whether there was a link or nothing; leaves anything else unchanged.
    public static func removeLink(at path: String) throws(SystemError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK { return false }
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path: path) }
        return true
    }

    private static var isUnsupported: Bool { errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
