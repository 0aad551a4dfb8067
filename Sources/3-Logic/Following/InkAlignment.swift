#if canImport(Glibc)
    import Glibc
#endif

/// Pairs the events of two charts: the likeliest pairs among all ways to go through both charts from left to right, where either may have
/// events that the other lacks. A pair's likelihood is that of all ways that contain the pair, so repeated events share their likelihood
/// unless their neighbours distinguish them.
struct InkAlignment {
    /// For each event of the first chart, its likeliest partner; `nil` if it has none.
    private(set) var partners: [Int?]
    /// The likelihoods of these pairs, from 0 to 1.
    private(set) var likelihoods: [Double]
    /// How much likelier the charts are of the same music than not, as a logarithm per event.
    private(set) var worth = 0.0
    /// For each staff, how much lower the first chart's notes are, in eighths of a space.
    let shifts: [Int]

    /// Charts that need more cells are aligned only near the diagonal. Each cell takes eight bytes.
    private static let mostCells = 4_500_000
    /// The odds that a gap begins, and that it goes on.
    private static let open = exp(-3.0), extend = exp(-0.12)
    /// An event whose likeliest pair is less likely than this has no partner.
    private static let least = 0.02
    /// With at least this worth, the assumed difference in height is certainly right.
    private static let fits = 0.8

    /// Aligns the charts. If one has lower notes, as for another instrument, uses the difference in height that gives the greater worth.
    static func best(_ a: InkEvents, _ b: InkEvents) -> InkAlignment {
        let usual = InkAlignment(a, b, shifts: InkLikeness.usualShifts(a, b))
        guard usual.worth < fits else { return usual }
        // If the music changes its key, the usual difference may mislead, so derive one from pairs that were found without heights.
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
        /// The second chart's events with which an event of the first is compared.
        func band(_ i: Int) -> Range<Int> {
            let middle = i * m / n
            return max(0, middle - half)..<min(m, middle + half)
        }
        let width = min(m, 2 * half)
        var forward = [Double](repeating: 0, count: n * width)
        // The sums of the ways that end in a gap: `down` for a gap in the second chart, `across` for a gap in the first.
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
        // The sums of the ways from a place to the end: `settled` if the place is not reached through a gap in the first chart, `dropped`
        // if it is reached through a gap in the second.
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
                // Limited, since the sum after a nearly impossible beginning may overflow.
                here[j] = min(1e300, ways + Self.open * skipped)
                skipped = min(1e300, ways + Self.extend * skipped)
                dropped[j] = min(1e300, here[j] + Self.extend * dropped[j] * scale)
            }
            if best.likelihood > Self.least { (partners[i], likelihoods[i]) = (best.j, min(1, best.likelihood)) }
            swap(&here, &settled)
        }
    }
}
