import Glibc
import Platform

/// The resources that a program and everything it started have used so far.
struct ProcessSample: Sendable {
    let processes: Int
    /// How often their threads went to sleep or were interrupted: before each of these times, a thread had woken up.
    let wakeUps: Int
    let cpuSeconds: Double
    let pssMebibytes: Double
    let privateDirtyMebibytes: Double
    /// The bytes that they had the kernel write; always 0 on a file system in memory.
    let bytesWritten: Int

    /// Samples a process and its descendants.
    init(of root: Int32) throws {
        var processes = 0
        var wakeUps = 0
        var nanoseconds = 0
        var pss = 0
        var dirty = 0
        var written = 0
        for pid in try Self.family(of: root) {
            processes += 1
            for thread in try Folder.names(in: "/proc/\(pid)/task") {
                let place = "/proc/\(pid)/task/\(thread)"
                wakeUps += Self.number("voluntary_ctxt_switches:", in: place + "/status")
                wakeUps += Self.number("nonvoluntary_ctxt_switches:", in: place + "/status")
                // The first number is the time on a processor, in nanoseconds.
                nanoseconds += Self.text(place + "/schedstat").split(separator: " ").first.flatMap { Int($0) } ?? 0
            }
            pss += Self.number("Pss:", in: "/proc/\(pid)/smaps_rollup")
            dirty += Self.number("Private_Dirty:", in: "/proc/\(pid)/smaps_rollup")
            written += Self.number("write_bytes:", in: "/proc/\(pid)/io")
        }
        guard processes > 0 else { throw BenchmarkFailure("what was to sleep has ended") }
        self.processes = processes
        self.wakeUps = wakeUps
        cpuSeconds = Double(nanoseconds) / 1e9
        pssMebibytes = Double(pss) / 1024
        privateDirtyMebibytes = Double(dirty) / 1024
        bytesWritten = written
    }

    private static func family(of root: Int32) throws -> [Int32] {
        var parents: [Int32: Int32] = [:]
        for name in try Folder.names(in: "/proc") {
            guard let pid = Int32(name) else { continue }
            // A program's name may contain anything, brackets too; only numbers follow the last bracket.
            let rest = text("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            if rest.count > 1 { parents[pid] = Int32(rest[1]) }
        }
        var family: [Int32] = parents[root] == nil ? [] : [root]
        var place = 0
        while place < family.count {
            family += parents.filter { $0.value == family[place] }.keys.sorted()
            place += 1
        }
        return family
    }

    private static func number(_ label: String, in path: String) -> Int {
        let line = text(path).split(separator: "\n").first { $0.hasPrefix(label) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func text(_ path: String) -> String {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(limit: 1 << 20) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
