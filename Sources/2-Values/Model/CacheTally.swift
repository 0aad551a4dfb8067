/// How the cache has done so far.
public struct CacheTally: Hashable, Sendable {
    /// Images that were asked for and were there.
    public var hits = 0
    /// Images that had to be drawn while somebody waited for them.
    public var waits = 0
    /// Images that a plan needed, or that somebody asked for, but that were not there.
    public var misses: [MissReason: Int] = [:]
    /// Images removed to stay within the limits.
    public var removals: [TrimReason: Int] = [:]

    /// Nothing counted.
    public init() {}

    /// Adds what was counted elsewhere.
    public static func += (left: inout CacheTally, right: CacheTally) {
        left.hits += right.hits
        left.waits += right.waits
        left.misses.merge(right.misses, uniquingKeysWith: +)
        left.removals.merge(right.removals, uniquingKeysWith: +)
    }
}
