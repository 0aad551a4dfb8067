import Glibc
import Model
import Platform

/// What the system says about this process and its files.
enum ProcessFigures {
    /// CPU time since the start, user and system.
    static var cpuMilliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    /// CPU time of another process, to the nanosecond; `nil` if it is gone.
    static func cpuMilliseconds(of pid: Int32) -> Double? {
        var id = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &id) == 0, clock_gettime(id, &time) == 0 else { return nil }
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    /// CPU time, user and system, of all children of this process that have ended, and of those that the children waited for.
    static var cpuMillisecondsOfChildren: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000 }
        return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
    }

    /// Wall time from an arbitrary start.
    static var wallMilliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    /// The most memory that a process has had at any time; without a process id, this process.
    static func peakMebibytes(of pid: Int32? = nil) throws(SystemError) -> Double {
        try mebibytes("VmHWM:", of: pid)
    }

    /// The memory that this process has right now.
    static func residentMebibytes() throws(SystemError) -> Double {
        try mebibytes("VmRSS:", of: nil)
    }

    private static func mebibytes(_ name: String, of pid: Int32?) throws(SystemError) -> Double {
        let path = "/proc/\(pid.map { String($0) } ?? "self")/status"
        let text = String(decoding: try AtomicFile.read(path, limit: 65536), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return Double(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }

    /// The bytes that this process has handed to the kernel to be written. What it wrote to files is in it on every file system, also
    /// what has not reached the disk; of what it wrote elsewhere, answers over the network are not.
    static func bytesWritten() throws(SystemError) -> Int {
        let text = String(decoding: try AtomicFile.read("/proc/self/io", limit: 65536), as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar: ") }), let count = Int(line.dropFirst(7)) else {
            throw SystemError("find out what was written", path: "/proc/self/io", code: ENODATA)
        }
        return count
    }

    /// All files in a folder and the folders in it, by path.
    static func files(below folder: String) -> [String: FileStamp] {
        var found: [String: FileStamp] = [:]
        for name in (try? Folder.names(in: folder)) ?? [] {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                found.merge(files(below: path)) { first, _ in first }
            } else {
                found[path] = FileStamp(status).ofContent
            }
        }
        return found
    }

    /// The total size of the files that are new or were written to. The kernel's own count of written bytes is always zero on
    /// a file system in memory, and elsewhere it misses what has not reached the disk yet.
    static func bytesChanged(from before: [String: FileStamp], to after: [String: FileStamp]) -> Int {
        after.reduce(0) { $0 + (before[$1.key] == $1.value ? 0 : $1.value.size) }
    }
}
