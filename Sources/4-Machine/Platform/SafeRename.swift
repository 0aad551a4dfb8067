import CShims
import Glibc

/// Renames that cannot lose anybody's file, even if somebody put it there just a moment ago.
public enum SafeRename {
    /// Renames `path` to `target`, in the same file system, if nothing has that name. Returns whether the name was free.
    public static func move(_ path: String, toFree target: String) throws(SystemError) -> Bool {
        if woodshed_rename_to_free(path, target) == 0 { return true }
        if errno == EEXIST { return false }
        guard isUnsupported else { throw SystemError("move", path: path) }
        // Not every file system can do that. Making a hard link also fails if the name is taken.
        if link(path, target) == 0 {
            unlink(path)
            return true
        }
        if errno == EEXIST { return false }
        // Not every file system has hard links, and folders never do: all that is left is to look first.
        var status = stat()
        guard lstat(target, &status) != 0 else { return false }
        guard errno == ENOENT, rename(path, target) == 0 else { throw SystemError("move", path: path) }
        return true
    }

    /// Replaces the symbolic link at `path` by the symbolic link `new`, in the same folder. Returns whether there was a link, or nothing;
    /// anything else stays.
    public static func replaceLink(at path: String, by new: String) throws(SystemError) -> Bool {
        // Only if it is a link: if the names could not be swapped back, `new` is somebody's saved file.
        defer { _ = try? removeLink(at: new) }
        return try replace(path, by: new, if: isLink)
    }

    /// Gives `new` the name `path`, in the same folder, if that is free, or the file that has it `isExpected`: that may then be `new`.
    /// Returns whether it did; if not, the former file has its name again. If this fails, `new` may be somebody's saved file.
    static func replace(_ path: String, by new: String, if isExpected: (String) -> Bool) throws(SystemError) -> Bool {
        if woodshed_exchange(new, path) == 0 {
            // The former file has the other name now, where nobody else touches it.
            if isExpected(new) { return true }
            if woodshed_exchange(new, path) == 0 { return false }
            // The present file was removed just now, so the former one gets its name back.
            if errno == ENOENT, (try? move(new, toFree: path)) == true { return false }
            throw SystemError("put back \(path), which stays as", path: new)
        }
        if errno == ENOENT { return try move(new, toFree: path) }
        guard isUnsupported else { throw SystemError("replace", path: path) }
        guard isExpected(path) else { return false }
        guard rename(new, path) == 0 else { throw SystemError("replace", path: path) }
        return true
    }

    /// Removes a symbolic link. Returns whether there was one, or nothing; anything else stays.
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
