public import Model

/// Which images are removed to stay within the limits.
///
/// Images of pinned plans never are. Applied twice, the second does nothing.
public struct TrimDecision: Hashable, Sendable {
    /// An image to remove.
    public struct Removal: Hashable, Sendable {
        public let entry: CacheEntry
        public let reason: TrimReason
    }

    /// In the order of removal: what is worth least comes first.
    public let removals: [Removal]
    /// What the removals give back.
    public let freed: ByteCount
    /// What the images still take beyond their limit, since all that are left are pinned.
    public let excess: ByteCount
    /// What the disk still lacks, since no image is left but pinned ones.
    public let shortage: ByteCount

    /// Decides about all images of the cache.
    ///
    /// Once they take more than the limit, they are brought to nine tenths of it; once less is free of the disk than must
    /// be, a tenth more than that is freed. Only images that no coming or pinned plan needs go for their age.
    ///
    /// `need` is what a write found no room for. It is freed whatever the disk says of itself: a quota may be full before
    /// the disk is. Once it has been freed, it is no need any more.
    ///
    /// Only what is worth less than `below` goes: an image must not cost a better one. With `isExact` the images are brought
    /// just below their limit, as somebody who names a size expects.
    public init(
        entries: [CacheEntry], wanted: WantedSet, past: PastImages, limits: CacheLimits, disk: DiskSpace, now: Timestamp,
        need: ByteCount = ByteCount(0), below: ImageWorth? = nil, isExact: Bool = false
    ) {
        let total = entries.reduce(0) { $0 + $1.size.bytes }
        let most = max(0, limits.bytes.bytes)
        let oversize = total > most ? total - (isExact ? most : limits.targetBytes) : 0
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
            // What goes for its age counts for the other limits, wherever it stands.
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

    /// All that may go, the least worth first.
    private static func candidates(_ entries: [CacheEntry], wanted: WantedSet, past: PastImages, now: Timestamp) -> [Candidate] {
        let worths = Dictionary(wanted.images.map { ($0.name, wanted.worth(of: $0)) }, uniquingKeysWith: max)
        var candidates: [Candidate] = []
        candidates.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            let worth =
                worths[entry.name] ?? past.worth(of: entry.name)
                // A clock that was ahead for a while must not keep an image for ever.
                ?? ImageWorth(usedAt: min(entry.usedAt, now))
            if worth.standing < .pinned { candidates.append(Candidate(worth: worth, index: index)) }
        }
        return candidates.sorted { left, right in
            left.worth == right.worth ? entries[left.index].name < entries[right.index].name : left.worth < right.worth
        }
    }
}
