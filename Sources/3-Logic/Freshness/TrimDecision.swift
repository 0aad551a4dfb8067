public import Model

/// Decides which images are removed so that the cache stays within its limits.
///
/// Images of pinned plans are never removed, nor images of a coming or pinned plan's charts whose files are not here. Without other
/// changes, a repetition removes nothing more.
public struct TrimDecision: Hashable, Sendable {
    public struct Removal: Hashable, Sendable {
        public let entry: CacheEntry
        public let reason: TrimReason
    }

    /// The images to remove, least worth first.
    public let removals: [Removal]
    /// The space that the removals free.
    public let freed: ByteCount
    /// How far the remaining images still exceed the limit.
    public let excess: ByteCount
    /// The free space that the disk still lacks after the removals.
    public let shortage: ByteCount

    /// Decides about all images in the cache.
    ///
    /// If the images exceed the limit, they are reduced to nine tenths of it. If the disk has less free space than required, enough is
    /// freed for a tenth more than required. Images are removed for their age only if no coming or pinned plan needs them.
    ///
    /// `need` is the space that was missing for a write. That much is freed even if the disk claims to have enough, since a quota may be
    /// used up before the disk is full. A call after the removals must not request the same `need` again.
    ///
    /// With `below`, only images of less worth are removed, so that a new image does not replace a better one.
    public init(
        entries: [CacheEntry], wanted: WantedSet, past: PastImages, limits: CacheLimits, disk: DiskSpace, now: Timestamp,
        need: ByteCount = ByteCount(0), below: ImageWorth? = nil
    ) {
        let total = entries.reduce(0) { $0 + $1.size.bytes }
        let most = max(0, limits.bytes.bytes)
        let oversize = total > most ? total - limits.targetBytes : 0
        let left = disk.free.bytes - need.bytes
        let isShort = left < limits.mustBeFree
        let lack = max(need.bytes, isShort ? limits.targetFree - left : 0)

        var removals: [Removal] = []
        var freed = 0
        if oversize > 0 || lack > 0 || limits.greatestAge != nil {
            let candidates = Self.candidates(entries, wanted: wanted, past: past, now: now).prefix { candidate in
                below.map { candidate.worth < $0 } ?? true
            }
            func isOld(_ candidate: Candidate) -> Bool {
                guard let age = limits.greatestAge, candidate.worth.standing < .coming else { return false }
                return now - entries[candidate.index].usedAt > age
            }
            // The space of images that are removed for their age counts towards the other limits, wherever these images are in the order.
            freed = candidates.reduce(0) { isOld($1) ? $0 + entries[$1.index].size.bytes : $0 }
            for candidate in candidates {
                let entry = entries[candidate.index]
                if isOld(candidate) {
                    removals.append(Removal(entry: entry, reason: .age))
                } else if freed < oversize || freed < lack {
                    removals.append(Removal(entry: entry, reason: freed < oversize ? .size : .disk))
                    freed += entry.size.bytes
                }
            }
        }
        self.removals = removals
        self.freed = ByteCount(freed)
        excess = ByteCount(max(0, total - freed - most))
        shortage = ByteCount(max(0, max(need.bytes, limits.mustBeFree - left) - freed))
    }

    private struct Candidate {
        let worth: ImageWorth
        let index: Int
    }

    /// All images that may be removed, least worth first.
    private static func candidates(_ entries: [CacheEntry], wanted: WantedSet, past: PastImages, now: Timestamp) -> [Candidate] {
        let worths = Dictionary(wanted.images.map { ($0.name, wanted.worth(of: $0)) }, uniquingKeysWith: max)
        var candidates: [Candidate] = []
        candidates.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() where wanted.away[entry.name.folder] == nil {
            let worth =
                worths[entry.name] ?? past.worth(of: entry.name)
                // The time is in the future if the clock was ahead for a while. Such an image must not be kept for ever.
                ?? ImageWorth(usedAt: min(entry.usedAt, now))
            if worth.standing < .pinned { candidates.append(Candidate(worth: worth, index: index)) }
        }
        return candidates.sorted { left, right in
            left.worth == right.worth ? entries[left.index].name < entries[right.index].name : left.worth < right.worth
        }
    }
}

/// When a limit is exceeded, trimming goes to a point well below it, and rendering fills the cache only up to the same point. If
/// these points differed, each rendered image would cause another one to be removed, for ever.
extension CacheLimits {
    /// The size to which the images are reduced when they exceed the limit: nine tenths of the limit.
    var targetBytes: Int { max(0, bytes.bytes) - max(0, bytes.bytes) / 10 }

    /// The free space to reach when the disk has too little: a tenth more than the minimum.
    var targetFree: Int { mustBeFree + mustBeFree / 10 }

    /// The configured minimum, limited so that calculations with it cannot overflow.
    var mustBeFree: Int { min(max(0, leastFree.bytes), .max / 4) }
}
