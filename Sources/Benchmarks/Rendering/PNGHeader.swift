import Glibc
import Platform

/// What the first bytes of one of our images say.
struct PNGHeader {
    let isGray: Bool
    let fileBytes: Int

    init(path: String) throws {
        let file = try Descriptor.open(path, O_RDONLY)
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: 26)
        guard fstat(file.number, &status) == 0, read(file.number, &bytes, bytes.count) == bytes.count else {
            throw BenchmarkFailure("\(path) is not an image")
        }
        // The byte after width, height and depth: 0 is gray, 2 is RGB.
        isGray = bytes[25] == 0
        fileBytes = Int(status.st_size)
    }
}
