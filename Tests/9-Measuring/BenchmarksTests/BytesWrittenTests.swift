import Glibc
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(5)))
struct BytesWrittenTests {
    @Test func whatIsWrittenToAFileIsCountedAtOnce() throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = open(folder.path + "/file", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let before = try ProcessFigures.bytesWritten()
        #expect(write(file, [UInt8](repeating: 1, count: 5000), 5000) == 5000)
        // Overwriting does not make the file longer, but must be counted, too.
        #expect(pwrite(file, [UInt8](repeating: 2, count: 5000), 5000, 0) == 5000)
        #expect(try ProcessFigures.bytesWritten() - before >= 10_000)
    }
}
