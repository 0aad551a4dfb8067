import Glibc
import Model
public import Platform

/// An image that was opened to be shown: it stays readable until it is released, even if its file is removed in the meantime.
public struct OpenImage: ~Copyable, Sendable {
    /// Open for reading, from its beginning.
    public let file: Descriptor
    /// The image's length in bytes.
    public let length: Int

    init(file: consuming Descriptor, length: Int) {
        self.file = file
        self.length = length
    }

    /// Hands over the descriptor, which the caller has to close.
    public consuming func release() -> Int32 { file.release() }
}

extension OpenImage {
    /// How long a stamp of use remains good enough.
    private static let stampLasts = 3600

    /// Notes on the file that it was used just now, unless that was noted within the last hour.
    ///
    /// `time` replaces the time of day.
    func stamp(_ status: stat, at time: Timestamp?) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if let time { now = timespec(tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: 0) }
        // A use in the future was noted before the clock was corrected.
        guard !(0..<Self.stampLasts).contains(now.tv_sec &- status.st_mtim.tv_sec) else { return }
        // By the clock of the file's disk. An image that may not be stamped, for instance on a read-only disk, is just as good.
        guard time != nil else {
            futimens(file.number, nil)
            return
        }
        _ = withUnsafePointer(to: (now, now)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(file.number, $0) }
        }
    }
}
