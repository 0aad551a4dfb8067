import Glibc
import Platform

/// A musician's files, as they left them.
struct UserFiles {
    private struct State: Equatable {
        var status: [Int]
        var bytes: [UInt8]

        init(_ path: String) throws {
            var status = stat()
            guard lstat(path, &status) == 0 else { throw SystemError("access", path: path) }
            self.status = [
                Int(status.st_ino), Int(status.st_mode), Int(status.st_uid), Int(status.st_nlink), Int(status.st_size),
                Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
            ]
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                var target = [UInt8](repeating: 0, count: 4096)
                let count = target.withUnsafeMutableBytes { buffer in
                    buffer.withMemoryRebound(to: CChar.self) { text in
                        text.baseAddress.map { readlink(path, $0, text.count) } ?? 0
                    }
                }
                bytes = Array(target.prefix(max(count, 0)))
            default: bytes = try AtomicFile.read(path, limit: 1 << 26)
            }
        }
    }

    private var states: [String: State] = [:]

    /// Records a file's present state.
    mutating func note(_ path: String) throws { states[path] = try State(path) }

    /// Overwrites a file, or makes it. A reader may see the first part before the rest.
    mutating func write(_ text: String, to path: String) throws {
        do {
            let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
            let bytes = Array(text.utf8)
            try Array(bytes[..<(bytes.count / 2)]).withUnsafeBytes { try file.write($0) }
            try Array(bytes[(bytes.count / 2)...]).withUnsafeBytes { try file.write($0) }
        }
        try note(path)
    }

    /// Replaces a file with another whole file.
    mutating func replace(_ path: String, by text: String) throws {
        try AtomicFile.write(text, to: path)
        try note(path)
    }

    /// The files that differ from what their owner left.
    func changed() -> [String] {
        states.filter { path, state in (try? State(path)) != state }.map(\.key).sorted()
    }
}
