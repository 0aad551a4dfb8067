import Glibc
import Platform

/// A folder in `$TMPDIR` for what is made while measuring; whoever makes it removes it.
struct ScratchFolder: Sendable {
    let path: String

    init() throws(SystemError) {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(place)/woodshed-bench-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw SystemError("create folder", path: "\(place)/woodshed-bench-…")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the folder and everything in it.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in (try? Folder.names(in: path)) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }
}
