import Glibc
import Model
import Testing

@testable import PageCache

/// Files with impossible times.
@Suite(.timeLimit(.minutes(5)))
struct AbsurdTimeTests {
    @Test(arguments: [Int.min, -1, 0, 1_795_251_600, 99_999_999_999_999, Int.max]) func anyTimeCanBeReckonedWith(seconds: Int) throws {
        var status = stat()
        status.st_mtim = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
        let folder = String(repeating: "0", count: 32)
        let name = try #require(ImageName(folder: folder, file: "0-plain-\(folder).png"))
        let used = CacheEntry(name, status).usedAt
        let now = Timestamp(sinceEpoch: .seconds(1_795_251_600))
        #expect((used < now) == (seconds < 1_795_251_600))
        #expect((now - used) + (used - now) == .zero)
        // A file stamp must also accept any time. Stamps are only compared, so a wrong time does no harm.
        #expect(FileStamp(status) != FileStamp(stat()))
    }
}
