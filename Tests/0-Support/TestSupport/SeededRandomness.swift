public import Platform

/// Randomness that repeats for the same seed.
@LoopActor
public final class SeededRandomness: RandomSource {
    private var generator: SeededGenerator

    public nonisolated init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    public func next() -> UInt64 { generator.next() }
}

/// Randomness that always returns the same value.
@LoopActor
public final class FixedRandomness: RandomSource {
    private let bits: UInt64

    /// Every fraction drawn equals `fraction`, from 0 to just below 1.
    public nonisolated init(fraction: Double) {
        bits = UInt64(fraction * 0x1p53) << 11
    }

    public func next() -> UInt64 { bits }
}
