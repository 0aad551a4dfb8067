import Glibc
public import Model
public import Platform

/// What this process has seen of the charts' files: whether each holds the bytes that its name promises, and how often it took
/// the renderer down when its pages were to be counted.
@LoopActor
public final class ChartCondition {
    /// A chart's file does not hold what its name says. It was put aside, so that the next sync fetches the chart again.
    public struct Changed: Error, CustomStringConvertible {
        let path: String
        public var description: String {
            "\(path) was changed since it was downloaded; it is kept as \(path).changed, and the next sync fetches the chart again"
        }
    }

    private struct Stamp: Hashable {
        let device: UInt
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private var checked: [ChartHash: Stamp] = [:]
    private var misfortunes: [ChartHash: (count: Int, reason: String)] = [:]
    /// Charts that are to be counted later.
    var uncounted = UncountedCharts()

    /// Begins without having seen any.
    public nonisolated init() {}

    /// Holds a chart's file against its hash, once as long as the file stays the same. Images must not be made from anything else.
    /// A file that is something else is put aside, never deleted.
    public func check(_ hash: ChartHash, at path: String) throws {
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("look at", path: path) }
        let stamp = Stamp(
            device: status.st_dev, inode: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
        guard checked[hash] != stamp else { return }
        guard try Self.digest(file, path) == hash.digest else {
            // Whoever wrote to it may want it.
            guard rename(path, path + ".changed") == 0 else { throw SystemError("put aside", path: path) }
            throw Changed(path: path)
        }
        checked[hash] = stamp
    }

    func misfortunes(of hash: ChartHash) -> Int { misfortunes[hash]?.count ?? 0 }

    /// The charts that are left alone, and why.
    func leftAlone(after most: Int) -> [ChartHash: String] { misfortunes.filter { $0.value.count >= most }.mapValues(\.reason) }

    /// Lets everything be tried anew: a person wishes it.
    func forgive(at now: Moment) {
        misfortunes = [:]
        uncounted.hurry(at: now, isAsked: true)
    }

    /// Why a chart is left alone, if it is.
    func reasonToLeaveAlone(_ hash: ChartHash, after most: Int) -> String? {
        misfortunes[hash].flatMap { $0.count >= most ? $0.reason : nil }
    }

    func noteMisfortune(of hash: ChartHash, _ reason: String) {
        misfortunes[hash] = (misfortunes(of: hash) + 1, reason)
    }

    nonisolated static func digest(_ file: borrowing Descriptor, _ path: String) throws(SystemError) -> Digest {
        var sum = SHA256()
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(file.number, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("read", path: path)
            }
            if count == 0 { return sum.finish() }
            chunk.withUnsafeBytes { sum.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
