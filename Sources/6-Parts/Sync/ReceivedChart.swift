import Glibc
import Library
import Model
import PlanningCenter
import Platform

/// A chart on its way to the disk, hashed as it arrives.
@LoopActor
final class ReceivedChart {
    let file: TemporaryFile
    private var sum: SHA256? = SHA256()
    private(set) var size = 0
    private(set) var error: SystemError?

    init(file: TemporaryFile) {
        self.file = file
    }

    /// Prepares for bytes that begin at `start`: either continues after what is here already, or discards it.
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

    /// Whether it begins like a PDF.
    var beginsLikeAPDF: Bool { FileKind(header: bytes(FileKind.headerLength, from: 0)) == .pdf }

    /// Whether it ends like a PDF. If the service does not announce a file's size, nothing else shows that it is complete.
    var endsLikeAPDF: Bool {
        String(decoding: bytes(1024, from: max(0, size - 1024)), as: UTF8.self).contains("%%EOF")
    }

    private func bytes(_ most: Int, from start: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, start) }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Answers whether more is wanted: not after the disk has refused.
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
