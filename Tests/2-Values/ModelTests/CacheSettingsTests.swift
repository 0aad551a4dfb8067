import Model
import Testing

/// The limits that the cache's settings give on disks of various sizes.
@Suite(.timeLimit(.minutes(5)))
struct CacheSettingsTests {
    private func disk(_ total: Int) -> DiskSpace { DiskSpace(total: ByteCount(total), free: ByteCount(total / 2)) }

    @Test func withoutALimitItIsATenthOfASmallDiskAndFourGigabytesOfALargeOne() {
        #expect(CacheSettings().limits(on: disk(16_000_000_000)).bytes == ByteCount(1_600_000_000))
        #expect(CacheSettings().limits(on: disk(500_000_000_000)).bytes == ByteCount(4_000_000_000))
        #expect(CacheSettings(limit: ByteCount(7)).limits(on: disk(500)).bytes == ByteCount(7))
    }

    @Test func leastFreeIsAnAmountOrAShare() {
        #expect(CacheSettings().limits(on: disk(500_000_000_000)).leastFree == ByteCount(1_000_000_000))
        #expect(CacheSettings(leastFree: .percent(5)).limits(on: disk(500_000_000_000)).leastFree == ByteCount(25_000_000_000))
        #expect(CacheSettings(leastFree: .percent(90)).limits(on: disk(.max)).leastFree > ByteCount(.max / 2))
    }

    @Test func ageIsPassedOn() {
        #expect(CacheSettings().limits(on: disk(1000)).greatestAge == nil)
        #expect(CacheSettings(greatestAge: .seconds(3600)).limits(on: disk(1000)).greatestAge == .seconds(3600))
    }
}
