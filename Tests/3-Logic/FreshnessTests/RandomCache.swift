import Freshness
import Model
import TestSupport

/// A random library, and a cache that roughly fits the library: it has images of coming, past, distant and pinned plans, and of no plan.
struct RandomCache {
    var random: RandomLibrary
    let wanted: WantedSet
    let past: PastImages
    private let wantedWorths: [ImageName: ImageWorth]
    var entries: [CacheEntry] = []
    var limits = CacheLimits(bytes: ByteCount(0), leastFree: ByteCount(0))
    var disk = DiskSpace(total: ByteCount(1 << 40), free: ByteCount(0))
    static let now = RandomLibrary.now

    init(seed: UInt64) {
        random = RandomLibrary(seed: seed)
        let library = random.library()
        var rules = RandomLibrary.rules
        for plan in library.plans where Int.random(in: 0..<4, using: &random.generator) == 0 { rules.pinned.insert(plan.plan.id) }
        wanted = WantedSet(library, rules: rules, now: Self.now)
        past = PastImages(library, rules: rules, now: Self.now)
        let set = wanted
        wantedWorths = Dictionary(uniqueKeysWithValues: set.images.map { ($0.name, set.worth(of: $0)) })

        var everything = rules
        everything.pinned = Set(library.plans.map(\.plan.id))
        // The cache was filled before the files of some charts were lost.
        var here = library
        for plan in here.plans.indices {
            for chart in here.plans[plan].charts.indices { here.plans[plan].charts[chart].isHere = true }
        }
        let names = WantedSet(here, rules: everything, now: Self.now).images.map(\.name) + Self.strangers()
        for name in names where Int.random(in: 0..<4, using: &random.generator) > 0 {
            let age = Duration.seconds(86_400 * Int.random(in: -5...60, using: &random.generator))
            entries.append(CacheEntry(name: name, size: size(), usedAt: Self.now - age))
        }
        entries.shuffle(using: &random.generator)
        let total = entries.reduce(0) { $0 + $1.size.bytes }
        limits.bytes = ByteCount(Int.random(in: 0...(total * 3 / 2 + 1), using: &random.generator))
        limits.leastFree = ByteCount(Int.random(in: 0...100_000, using: &random.generator))
        disk.free = ByteCount(Int.random(in: 0...200_000, using: &random.generator))
        if Bool.random(using: &random.generator) {
            limits.greatestAge = .seconds(86_400 * Int.random(in: 0...60, using: &random.generator))
        }
    }

    var decision: TrimDecision {
        TrimDecision(entries: entries, wanted: wanted, past: past, limits: limits, disk: disk, now: Self.now)
    }

    var total: Int { entries.reduce(0) { $0 + $1.size.bytes } }

    /// The worth of an entry; `nil` if no plan needs it.
    func worth(of entry: CacheEntry) -> ImageWorth? {
        wantedWorths[entry.name] ?? past.worth(of: entry.name)
    }

    /// Whether the image must be kept: its plan is pinned, or the file of its chart is missing.
    func stays(_ name: ImageName) -> Bool { wanted.pinned.contains(name) || wanted.away[name.folder] != nil }

    /// Applies a decision by removing its entries from the cache.
    mutating func apply(_ decision: TrimDecision) {
        let gone = Set(decision.removals.map(\.entry))
        entries.removeAll(where: gone.contains)
        disk.free = disk.free + decision.freed
    }

    /// A random size, from one disk block to fifty.
    mutating func size() -> ByteCount { ByteCount(4096 * Int.random(in: 1...50, using: &random.generator)) }

    private static func strangers() -> [ImageName] {
        (0..<10).map { number in
            ImageName(
                ImageInputs(
                    renderer: RandomLibrary.renderer("older"), chart: ChartHash(SHA256.digest(of: "gone \(number)")),
                    chartNeedsFonts: false, page: PageIndex(0), variant: .plain, settings: RenderSettings()))
        }
    }
}
