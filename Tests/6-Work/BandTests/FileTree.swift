import Glibc
import Platform
import TestSupport

/// Folders and files with their content.
enum FileTree {
    static func copy(_ from: String, to: String, but left: Set<String> = []) throws {
        try Folder.create(to)
        for name in try Folder.names(in: from) where !left.contains(name) {
            var status = stat()
            let (source, target) = ("\(from)/\(name)", "\(to)/\(name)")
            guard lstat(source, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try copy(source, to: target)
            } else {
                try write(try AtomicFile.read(source, limit: 1 << 26), to: target)
            }
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Folder.create(Folder.parent(of: path))
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
    }

    static func read(_ path: String) -> [UInt8]? { try? AtomicFile.read(path, limit: 1 << 26) }

    static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
