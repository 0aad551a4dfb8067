import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
    static let seeds: Range<UInt64> = 0..<400

    private func admission(_ cache: RandomCache, sizes: [ImageName: ByteCount]) -> Admission {
        Admission(
            cache.wanted, present: Set(cache.entries.map(\.name)), held: ByteCount(cache.total), limits: cache.limits,
            disk: cache.disk, size: { sizes[$0] })
    }

    private func sizes(_ entries: [CacheEntry]) -> [ImageName: ByteCount] {
        Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.size) })
    }

    @Test(arguments: seeds)
    func nothingIsAdmittedWhereSomethingOfHigherWorthIsWithheld(seed: UInt64) {
        let cache = RandomCache(seed: seed)
        let admission = admission(cache, sizes: sizes(cache.entries))
        let present = Set(cache.entries.map(\.name))

        let admitted = cache.wanted.images.filter { admission.admitted.contains($0.name) }.map(cache.wanted.worth)
        let withheld = admission.withheld.map(cache.wanted.worth)
        if let least = admitted.min(), let best = withheld.max() { #expect(best <= least) }
        // Every absent image is either to be made or withheld.
        let absent = cache.wanted.missing(from: present)
        #expect(admission.missing == absent.filter { admission.admitted.contains($0.name) })
        #expect(admission.withheld == absent.filter { !admission.admitted.contains($0.name) })
    }

    @Test(arguments: seeds)
    func whatIsAdmittedIsNeverTrimmedWhenSizesAreKnown(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        var known = sizes(cache.entries)
        for image in cache.wanted.images where known[image.name] == nil { known[image.name] = cache.size() }
        let admission = admission(cache, sizes: known)

        for image in admission.missing { cache.make(image, size: known[image.name]!) }

        #expect(cache.decision.removals.allSatisfy { !admission.admitted.contains($0.entry.name) })
    }

    @Test(arguments: seeds)
    func everythingIsAdmittedWhereThereIsRoom(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        cache.limits.bytes = ByteCount(1 << 40)
        cache.disk.free = ByteCount(1 << 40)
        #expect(admission(cache, sizes: [:]).withheld.isEmpty)
    }

    /// Sizes are random and known only once an image has been made, so the estimates are mostly wrong. Each round makes only some of the
    /// missing images.
    @Test(arguments: seeds)
    func makingAndTrimmingComeToAnEnd(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        cache.limits.leastFree = ByteCount(Int.random(in: 0...3_000_000, using: &cache.random.generator))
        cache.disk.free = ByteCount(Int.random(in: 0...6_000_000, using: &cache.random.generator))
        let trueSizes = Dictionary(uniqueKeysWithValues: cache.wanted.images.map { ($0.name, cache.size()) })
        for index in cache.entries.indices {
            if let size = trueSizes[cache.entries[index].name] { cache.entries[index].size = size }
        }
        var remembered = sizes(cache.entries)
        var made: [ImageName: Int] = [:]
        cache.apply(cache.decision)

        var isAtRest = false
        for _ in 0..<2 * cache.wanted.images.count + 2 where !isAtRest {
            let missing = admission(cache, sizes: remembered).missing
            isAtRest = missing.isEmpty
            for image in missing.prefix(Int.random(in: 1...8, using: &cache.random.generator)) {
                cache.make(image, size: trueSizes[image.name]!)
                remembered[image.name] = trueSizes[image.name]
                made[image.name, default: 0] += 1
            }
            cache.apply(cache.decision)
        }

        #expect(isAtRest)
        // At worst, an image is trimmed at the start and then made once.
        #expect(made.values.allSatisfy { $0 == 1 })
        let last = admission(cache, sizes: remembered)
        #expect(last.missing.isEmpty)
        #expect(cache.decision.removals.isEmpty)
    }

    @Test(arguments: seeds)
    func aDiskThatOthersFillABitCostsNothingAnew(seed: UInt64) {
        var cache = RandomCache(seed: seed)
        cache.limits.bytes = ByteCount(1 << 40)
        cache.limits.leastFree = ByteCount(1_000_000)
        cache.disk.free = ByteCount(Int.random(in: 0..<1_000_000, using: &cache.random.generator))
        let known = sizes(cache.entries)
        cache.apply(cache.decision)
        let trimmed = Set(known.keys).subtracting(cache.entries.map(\.name))

        let admission = admission(cache, sizes: known)

        // Trimming removes whole images, so it frees a little more than needed, but not enough to render a trimmed image again.
        #expect(admission.missing.allSatisfy { !trimmed.contains($0.name) })
    }

    @Test func anImageThatDoesNotFitKeepsSmallerOnesOut() throws {
        let time = RandomLibrary.now
        let set = WantedSet(
            LibrarySnapshot(plans: [
                PlanSnapshot(
                    plan: Plan(id: PlanID("p"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
                    charts: [ChartSnapshot(attachment: AttachmentID("a"), hash: ChartHash(SHA256.digest(of: "c")), pageCount: 3)])
            ]), rules: RandomLibrary.rules, now: time)
        let pages = set.images.filter { $0.inputs.variant == .plain }.sorted { $0.inputs.page < $1.inputs.page }
        try #require(pages.count == 3)

        let admission = Admission(
            set, present: [], held: ByteCount(0), limits: CacheLimits(bytes: ByteCount(1000), leastFree: ByteCount(0)),
            disk: DiskSpace(total: ByteCount(1 << 40), free: ByteCount(1 << 40)),
            size: { $0 == pages[0].name ? ByteCount(500) : $0 == pages[1].name ? ByteCount(401) : ByteCount(1) })

        #expect(admission.missing == [pages[0]])
        #expect(admission.withheld.count == 5)
    }
}

extension RandomCache {
    /// Adds an image as if it had been rendered.
    mutating func make(_ image: WantedImage, size: ByteCount) {
        entries.append(CacheEntry(name: image.name, size: size, usedAt: Self.now))
        disk.free = ByteCount(disk.free.bytes - size.bytes)
    }
}
