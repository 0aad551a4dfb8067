import Glibc
import Platform

/// A time limit for tests that counts only the share of the machine that was available to this process.
///
/// With twice as many runnable threads as processors, each thread gets half of a processor, so a second counts as half a second. This
/// way, a limit means the same on an idle machine and on a busy one. A pause between two calls of `look` counts as at most a second.
public struct FairTime {
    public private(set) var passed = Duration.zero
    private var last = ContinuousClock.now

    public init() {}

    /// Counts the time since the last call.
    public mutating func look() {
        let now = ContinuousClock.now
        passed += min(now - last, .seconds(1)) * Self.share
        last = now
    }

    private static let processors = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The share of a processor, from 0 to 1, that each runnable thread gets now.
    private static var share: Double {
        guard let load = try? AtomicFile.read("/proc/loadavg", limit: 256) else { return 1 }
        // "0.20 0.18 0.12 3/144 11206": 3 of 144 threads are runnable.
        let fields = String(decoding: load, as: UTF8.self).split(separator: " ")
        guard fields.count > 3, let ready = fields[3].split(separator: "/").first.flatMap({ Double($0) }) else { return 1 }
        return processors / max(processors, ready)
    }
}
