import Glibc
import Model
import Platform
import PlanningCenter

/// A chart on its way to the disk, hashed as it comes.
@LoopActor
final class ReceivedChart {
    private let file: TemporaryFile
    private var sum: SHA256? = SHA256()
    private(set) var size = 0
    private(set) var error: SystemError?

    init(file: TemporaryFile) {
        self.file = file
    }

    /// Makes ready for bytes from `start` on; what is here already is continued, or void.
    func begin(_ start: FileStart) -> Bool {
        if start.offset == size { return true }
        precondition(start.offset == 0, "a file is continued where it ended")
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            error = SystemError("write", path: file.path)
            return false
        }
        sum = SHA256()
        size = 0
        return true
    }

    /// Answers whether more is wanted: not after the disk refused.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            self.error = error
            return false
        }
        sum?.update(bytes)
        size += bytes.count
        return true
    }

    func finish() -> ChartHash {
        guard let sum = sum.take() else { preconditionFailure("a chart ends once") }
        return ChartHash(sum.finish())
    }
}
