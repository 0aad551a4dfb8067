#if canImport(Glibc)
    import Glibc
#endif

/// Which events of one chart are which of another: the likeliest pairs among all ways to go through both charts from left to right, where
/// either may have events that the other lacks. A pair's likelihood is that of all ways that contain it, so events that repeat each other
/// share theirs unless their neighbours tell them apart.
struct InkAlignment {
    /// For each event of the first chart, its likeliest partner; `nil` if it has none.
    private(set) var partners: [Int?]
    /// The likelihoods of these pairs, from 0 to 1.
    private(set) var likelihoods: [Double]
    /// How much likelier the charts are a pair than not, as a logarithm for each event.
    private(set) var worth = 0.0
    /// For each staff, how much lower the first chart's notes are, in eighths of a space.
    let shifts: [Int]

    /// Larger charts, and those of many staves, are only aligned near the diagonal. Each cell takes eight bytes.
    private static let mostCells = 4_500_000
    /// The odds that a gap begins, and that it goes on.
    private static let open = exp(-3.0), extend = exp(-0.12)
    /// A pair that is less likely than this is none.
    private static let least = 0.02
    /// Charts that are worth more than this surely have notes at these heights.
    private static let fits = 0.8

    /// Aligns the charts. How much lower the notes of one are, as in a part for another instrument, is what makes them most alike.
    static func best(_ a: InkEvents, _ b: InkEvents) -> InkAlignment {
        let usual = InkAlignment(a, b, shifts: InkLikeness.usualShifts(a, b))
        guard usual.worth < fits else { return usual }
        // Where the music changes its key, the usual heights may mislead: go by the pairs that are found without them.
        let free = InkAlignment(a, b, shifts: nil), shifts = InkLikeness.shifts(of: free, a, b)
        guard shifts != usual.shifts else { return usual }
        let other = InkAlignment(a, b, shifts: shifts)
        return other.worth > usual.worth ? other : usual
    }

    private init(_ a: InkEvents, _ b: InkEvents, shifts: [Int]?) {
        partners = Array(repeating: nil, count: a.count)
        likelihoods = Array(repeating: 0, count: a.count)
        self.shifts = shifts ?? Array(repeating: 0, count: min(a.staffCount, b.staffCount))
        guard a.count > 0, b.count > 0 else { return }
        align(InkLikeness(a, b, shifts: shifts))
    }

    private mutating func align(_ likeness: InkLikeness) {
        let (n, m) = (likeness.a.count, likeness.b.count)
        let half = max(64, Self.mostCells / max(2, shifts.count) / n)
        /// The second chart's events that an event of the first may be.
        func band(_ i: Int) -> Range<Int> {
            let middle = i * m / n
            return max(0, middle - half)..<min(m, middle + half)
        }
        let width = min(m, 2 * half)
        var forward = [Double](repeating: 0, count: n * width)
        // One chart's events that the other lacks: `down` for those of the first, `across` for those of the second.
        var scales = [Double](repeating: 1, count: n)
        var down = [Double](repeating: 0, count: m + 1), here = down, before = down, odds = down
        var total = 0.0
        // `before[j]` is the sum of all ways that end before event i with j events of the second chart done.
        for j in 0...m { before[j] = 1 }
        for i in 0..<n {
            let range = band(i)
            for j in 0...m { here[j] = 0 }
            likeness.odds(i, range, into: &odds)
            var (across, greatest) = (0.0, 0.0)
            for j in range.lowerBound...range.upperBound {
                // A way to (i + 1, j): a gap in the second chart, a pair (i, j - 1), or a gap in the first.
                down[j] = down[j] * Self.extend + before[j] * Self.open
                var match = 0.0
                if j > range.lowerBound {
                    match = before[j - 1] * odds[j - 1]
                    forward[i * width + j - 1 - range.lowerBound] = match
                }
                let sum = down[j] + match + across
                here[j] = sum
                across = across * Self.extend + (down[j] + match) * Self.open
                greatest = max(greatest, sum)
            }
            let scale = greatest > 0 ? 1 / greatest : 1
            scales[i] = scale
            total -= log(scale)
            for j in 0...m { (here[j], down[j]) = (here[j] * scale, down[j] * scale) }
            swap(&here, &before)
        }
        var sum = 0.0
        for j in 0...m { sum += before[j] }
        worth = (total + log(max(1e-300, sum))) / Double(min(n, m))
        goBack(likeness, forward: forward, width: width, scales: scales, sum: sum, band: band)
    }

    private mutating func goBack(
        _ likeness: InkLikeness, forward: [Double], width: Int, scales: [Double], sum: Double, band: (Int) -> Range<Int>
    ) {
        let (n, m) = (likeness.a.count, likeness.b.count)
        // The sums of all ways from a place to the end: `settled` of those that do not come from a gap in the first chart, `dropped` of those
        // that come from a gap in the second.
        var settled = [Double](repeating: 0, count: m + 1), here = settled, dropped = settled, odds = settled
        var skipped = 0.0
        for j in stride(from: m, through: 0, by: -1) {
            settled[j] = 1 + Self.open * skipped
            dropped[j] = settled[j]
            skipped = 1 + Self.extend * skipped
        }
        for i in stride(from: n - 1, through: 0, by: -1) {
            let range = band(i), scale = scales[i]
            var best: (j: Int, likelihood: Double) = (0, 0)
            var skipped = 0.0
            for j in 0...m { here[j] = 0 }
            likeness.odds(i, range, into: &odds)
            for j in stride(from: range.upperBound, through: range.lowerBound, by: -1) {
                var ways = Self.open * dropped[j] * scale
                if j < range.upperBound {
                    let likelihood = forward[i * width + j - range.lowerBound] * settled[j + 1] * scale / sum
                    if likelihood > best.likelihood { best = (j, likelihood) }
                    ways += settled[j + 1] * scale * odds[j]
                }
                // Limited, since nearly impossible beginnings may have endings that are beyond all numbers.
                here[j] = min(1e300, ways + Self.open * skipped)
                skipped = min(1e300, ways + Self.extend * skipped)
                dropped[j] = min(1e300, here[j] + Self.extend * dropped[j] * scale)
            }
            if best.likelihood > Self.least { (partners[i], likelihoods[i]) = (best.j, min(1, best.likelihood)) }
            swap(&here, &settled)
        }
    }
}
