/// Randomness, for everything that spreads its attempts; tests put a seeded source in its place.
@LoopActor
public protocol RandomSource: AnyObject {
    /// 64 random bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A number from 0 to just below 1.
    public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// The system's own randomness.
public final class SystemRandomness: RandomSource {
    /// Makes a source; each is as good as any other.
    public nonisolated init() {}

    public func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}
