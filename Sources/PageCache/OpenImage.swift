public import Platform
import Glibc

/// An image that was opened to be shown: it stays readable until it is let go of, even if its file is removed meanwhile.
public struct OpenImage: ~Copyable, Sendable {
    /// Open for reading, from its beginning.
    public let file: Descriptor
    /// The image's length in bytes.
    public let length: Int

    init(file: consuming Descriptor, length: Int) {
        self.file = file
        self.length = length
    }

    /// Gives the descriptor away, to be closed by whoever takes it.
    public consuming func release() -> Int32 { file.release() }
}

extension OpenImage {
    /// How long a stamp of use is good enough.
    private static let stampLasts = 3600

    /// Notes on the file that it was used just now, unless that was noted within the hour.
    func stamp(_ status: stat) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // A use in the future was noted before the clock was put right.
        guard !(0..<Self.stampLasts).contains(now.tv_sec &- status.st_mtim.tv_sec) else { return }
        // By the clock of the file's disk. One that may not be stamped, as on a disk that is only read, is as good an image.
        futimens(file.number, nil)
    }
}
