import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TrimDecisionTests {
    static let seeds: Range<UInt64> = 0..<400

    @Test(arguments: seeds)
    func afterwardsTheLimitsHoldUnlessOnlyPinnedImagesAreLeft(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        let decision = cache.decision
        cache.apply(decision)

        #expect(decision.excess.bytes == max(0, cache.total - cache.limits.bytes.bytes))
        #expect(decision.shortage.bytes == max(0, cache.limits.leastFree.bytes - cache.disk.free.bytes))
        if decision.excess.bytes > 0 || decision.shortage.bytes > 0 {
            #expect(cache.entries.allSatisfy { cache.stays($0.name) })
        }
    }

    @Test(arguments: seeds)
    func pinnedImagesStay(seed: UInt64) {
        let cache = RandomCache(seed: seed)
        #expect(!cache.decision.removals.contains { cache.stays($0.entry.name) })
    }

    @Test(arguments: seeds)
    func nothingGoesBeforeWhatIsWorthLess(seed: UInt64) {
        let cache = RandomCache(seed: seed)
        let decision = cache.decision
        func isLess(_ left: CacheEntry, than right: CacheEntry) -> Bool {
            switch (cache.worth(of: left), cache.worth(of: right)) {
            case (let mine?, let theirs?): mine < theirs
            case (nil, _?): true
            case (_?, nil): false
            case (nil, nil): min(left.usedAt, RandomCache.now) < min(right.usedAt, RandomCache.now)
            }
        }

        for (earlier, later) in zip(decision.removals, decision.removals.dropFirst()) {
            #expect(!isLess(later.entry, than: earlier.entry))
        }
        // Images removed for lack of space must be worth less than all that are kept. Images removed for their age need not.
        let removed = Set(decision.removals.map(\.entry))
        let kept = cache.entries.filter { !removed.contains($0) && !cache.stays($0.name) }
        for removal in decision.removals where removal.reason != .age {
            #expect(!kept.contains { isLess($0, than: removal.entry) })
        }
    }

    @Test(arguments: seeds)
    func appliedTwiceTheSecondDoesNothing(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        let first = cache.decision
        cache.apply(first)
        let second = cache.decision

        #expect(second.removals.isEmpty)
        #expect(second.freed.bytes == 0)
        #expect((second.excess, second.shortage) == (first.excess, first.shortage))
    }

    @Test(arguments: seeds)
    func nothingGoesWithoutNeed(seed: UInt64) {
        let cache = RandomCache(seed: seed)
        let decision = cache.decision
        let aged = decision.removals.filter { $0.reason == .age }
        let others = decision.removals.filter { $0.reason != .age }.map(\.entry.size.bytes)

        #expect(decision.freed.bytes == decision.removals.reduce(0) { $0 + $1.entry.size.bytes })
        for removal in aged {
            let standing = cache.worth(of: removal.entry)?.standing ?? .unneeded
            #expect(standing < .coming)
            #expect(cache.limits.greatestAge.map { RandomCache.now - removal.entry.usedAt > $0 } == true)
        }
        // Without the last removal, the cache or the disk would have missed its target, which is a tenth better than its limit.
        if let last = others.last {
            let freed = decision.freed.bytes - last
            let isOver = cache.total > cache.limits.bytes.bytes && (cache.total - freed) * 10 > cache.limits.bytes.bytes * 9
            let isShort =
                cache.disk.free.bytes < cache.limits.leastFree.bytes
                && (cache.disk.free.bytes + freed) * 10 < cache.limits.leastFree.bytes * 11
            #expect(isOver || isShort)
        }
    }

    @Test(arguments: seeds)
    func orderOfTheEntriesDoesNotMatter(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        let decision = cache.decision
        cache.entries.shuffle(using: &cache.random.generator)
        #expect(cache.decision == decision)
    }

    @Test(arguments: seeds)
    func whatAWriteNeedsIsFreedWhateverTheDiskReports(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        let need = cache.size()
        let decision = TrimDecision(
            entries: cache.entries, wanted: cache.wanted, past: cache.past, limits: cache.limits, disk: cache.disk,
            now: RandomCache.now, need: need)
        let left = cache.entries.count - decision.removals.count

        #expect(decision.freed >= need || left == cache.entries.count { cache.stays($0.name) })
        let lacks = max(need.bytes, cache.limits.leastFree.bytes + need.bytes - cache.disk.free.bytes)
        #expect(decision.shortage.bytes == max(0, lacks - decision.freed.bytes))
    }

    @Test func timesInTheFutureCountAsNow() throws {
        var cache = RandomCache(seed: 3)
        let strangers = cache.entries.filter { cache.worth(of: $0) == nil && !cache.stays($0.name) }.prefix(2)
        try #require(strangers.count == 2)
        cache.entries = Array(strangers)
        cache.entries[0].usedAt = RandomCache.now + .seconds(1_000_000_000)
        cache.entries[1].usedAt = RandomCache.now - .seconds(60)
        cache.limits = CacheLimits(
            bytes: ByteCount(.max), leastFree: ByteCount(cache.disk.free.bytes), greatestAge: .seconds(3600))

        #expect(cache.decision.removals.isEmpty)
        cache.limits.greatestAge = .seconds(30)
        #expect(cache.decision.removals.map(\.entry) == [cache.entries[1]])
    }

    @Test(arguments: [1 << 60, Int.max]) func diskBeyondAllReckoningIsReckonedWith(free: Int) throws {
        let cache = try #require((0..<100).lazy.map { RandomCache(seed: $0) }.first { !$0.wanted.images.isEmpty })
        let admission = Admission(
            cache.wanted, present: [], held: ByteCount(1 << 50),
            limits: CacheLimits(bytes: ByteCount(1 << 60), leastFree: ByteCount(1_000_000_000)),
            disk: DiskSpace(total: ByteCount(.max), free: ByteCount(free)), size: { _ in nil })
        #expect(admission.withheld.isEmpty)
        #expect(!admission.missing.isEmpty)
    }

    @Test func limitsBeyondAllReckoningAreReckonedWith() throws {
        var cache = try #require((0..<100).lazy.map { RandomCache(seed: $0) }.first { !$0.wanted.images.isEmpty })
        cache.limits = CacheLimits(bytes: ByteCount(.max), leastFree: ByteCount(.max), greatestAge: .seconds(Int64.max))
        #expect(cache.decision.shortage.bytes > 0)
        let admission = Admission(
            cache.wanted, present: [], held: ByteCount(cache.total), limits: cache.limits, disk: cache.disk, size: { _ in nil })
        #expect(admission.missing.isEmpty)
    }
}
