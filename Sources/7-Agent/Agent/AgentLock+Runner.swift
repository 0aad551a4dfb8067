import Glibc
import Platform

extension AgentLock {
    /// The process that holds the lock of the library in `folder` now; `nil` for nobody. This does not touch the lock, so that whoever
    /// starts at this moment can still take it.
    public static func runner(in folder: String) -> Int32? {
        let path = folder + "/agent.lock"
        var status = stat()
        guard stat(path, &status) == 0, let text = try? AtomicFile.read(path, limit: mostBytes),
            let locks = try? AtomicFile.read("/proc/locks", limit: 1 << 22)
        else { return nil }
        guard let process = Int32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) else { return nil }
        return holds(process, inode: UInt64(status.st_ino), locks: String(decoding: locks, as: UTF8.self)) ? process : nil
    }

    /// Where that process can be asked, as it noted itself; `nil` while it cannot be, like one that only syncs once.
    public static func socket(in folder: String) -> String? {
        guard let text = try? AtomicFile.read(folder + "/agent.lock", limit: mostBytes) else { return nil }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        return lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : nil
    }

    /// Enough for a number and a path.
    private static let mostBytes = 1 << 13

    /// Whether a table of locks says that a process holds the file with that inode number: `1: FLOCK  ADVISORY  WRITE 812 08:01:393 0
    /// EOF`.
    static func holds(_ process: Int32, inode: UInt64, locks: String) -> Bool {
        locks.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // A process that only waits for a lock has an arrow in the second field.
            guard fields.count >= 6, fields[1] == "FLOCK", fields[4] == "\(process)" else { return false }
            return fields[5].split(separator: ":").last == "\(inode)"
        }
    }
}
