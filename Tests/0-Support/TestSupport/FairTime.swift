import Glibc
import Platform

/// Time as it counts for limits: only the time that this machine could spare for us.
///
/// With twice as many threads ready to run as there are processors, each gets half of what it needs, so a second counts for half of one;
/// and a pause between two looks, however long, counts for at most a second. So a limit means the same on an idle machine and on a busy
/// one.
public struct FairTime {
    public private(set) var passed = Duration.zero
    private var last = ContinuousClock.now

    public init() {}

    /// Counts what has passed since the last look.
    public mutating func look() {
        let now = ContinuousClock.now
        passed += min(now - last, .seconds(1)) * Self.share
        last = now
    }

    private static let processors = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The share of a processor that each runnable thread gets now, from 0 to 1.
    private static var share: Double {
        guard let load = try? AtomicFile.read("/proc/loadavg", limit: 256) else { return 1 }
        // "0.20 0.18 0.12 3/144 11206": three are running or ready to, of 144.
        let fields = String(decoding: load, as: UTF8.self).split(separator: " ")
        guard fields.count > 3, let ready = fields[3].split(separator: "/").first.flatMap({ Double($0) }) else { return 1 }
        return processors / max(processors, ready)
    }
}
