public import Model

/// Which images to remove to stay within the limits.
///
/// Images of pinned plans are never removed, nor those of a coming plan's charts whose files are not here. A second time changes nothing.
public struct TrimDecision: Hashable, Sendable {
    public struct Removal: Hashable, Sendable {
        public let entry: CacheEntry
        public let reason: TrimReason
    }

    /// In the order of removal: those least worth keeping come first.
    public let removals: [Removal]
    /// How much space the removals free.
    public let freed: ByteCount
    /// How far the images are still over their limit, if all that are left stay.
    public let excess: ByteCount
    /// How much free space the disk still lacks, if only images that stay are left.
    public let shortage: ByteCount

    /// Decides about all images of the cache.
    ///
    /// Once they exceed the limit, they are brought down to nine tenths of it; once the disk has less free space than it
    /// must, it is brought to a tenth more than that. Only images that no coming or pinned plan needs are removed because of their age.
    ///
    /// `need` is the space that a write did not find. It is freed whatever the disk claims to have: a quota may be used up before
    /// the disk is full. Once it has been freed, it is no longer a need.
    ///
    /// Only images worth less than `below` are removed: an image must not cost a better one.
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
            // What is removed for its age counts towards the other limits, wherever it is in the order.
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

    /// All that may be removed, those least worth keeping first.
    private static func candidates(_ entries: [CacheEntry], wanted: WantedSet, past: PastImages, now: Timestamp) -> [Candidate] {
        let worths = Dictionary(wanted.images.map { ($0.name, wanted.worth(of: $0)) }, uniquingKeysWith: max)
        var candidates: [Candidate] = []
        candidates.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() where wanted.away[entry.name.folder] == nil {
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

/// Once a limit is exceeded, the cache is brought well below it, and rendering may fill it only up to the same point. If one of
/// the two went further than the other, every image rendered would cost another one, for ever.
extension CacheLimits {
    /// How much the images may take after there were too many: nine tenths of the limit.
    var targetBytes: Int { max(0, bytes.bytes) - max(0, bytes.bytes) / 10 }

    /// How much of the disk is to be free after it was short: a tenth more than the minimum.
    var targetFree: Int { mustBeFree + mustBeFree / 10 }

    /// As configured, but never so much that calculations with it could overflow.
    var mustBeFree: Int { min(max(0, leastFree.bytes), .max / 4) }
}
