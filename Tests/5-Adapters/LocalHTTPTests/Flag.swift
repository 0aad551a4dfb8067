import Glibc
import Synchronization

/// An event that one thread raises and another can wait for.
final class Flag: Sendable {
    private let pipe: (read: Int32, write: Int32)
    private let times = Mutex(0)

    init() {
        var ends: [Int32] = [-1, -1]
        Glibc.pipe(&ends)
        pipe = (ends[0], ends[1])
    }

    deinit {
        close(pipe.read)
        close(pipe.write)
    }

    func raise() {
        times.withLock { $0 += 1 }
        var byte: UInt8 = 1
        _ = write(pipe.write, &byte, 1)
    }

    var count: Int { times.withLock { $0 } }

    /// Waits until the flag is raised once more. Returns `false` if that takes longer than ten seconds.
    func wait() -> Bool {
        var waiting = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 10_000) == 1 else { return false }
        var byte: UInt8 = 0
        return read(pipe.read, &byte, 1) == 1
    }
}
