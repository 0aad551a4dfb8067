import TestSupport

/// Random accidents, and how often they happen.
struct Weather {
    var random: SeededGenerator
    /// Whether anything goes wrong at present.
    var isFoul = true
    /// Whether there is no network.
    var isOffline = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Whether an accident happens now that, in foul weather, happens once in so many times.
    mutating func strikes(onceIn times: Int) -> Bool {
        // The random number is drawn in fair weather, too, so that the weather does not change the numbers that follow.
        let number = Int.random(in: 0..<times, using: &random)
        return isFoul && number == 0
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &random)) }
}
