#if canImport(Glibc)
import Glibc
#endif

/// Which events of one chart are which of another: the likeliest pairs among all ways to go through both charts from left to right, where either
/// may have events that the other lacks. A pair's probability is that of all ways that contain it, so events that repeat each other
/// share theirs unless their neighbours tell them apart.
struct InkAlignment {
    /// For each event of the first chart, its likeliest partner; `nil` if it has none.
    private(set) var partners: [Int?]
    /// The probability of each of these pairs.
    private(set) var likelihoods: [Float]
    /// How much likelier the charts are as a pair than by chance, as a logarithm for each event.
    private(set) var worth: Float = 0
    /// For each staff, how much lower the first chart's notes are, in eighths of a space.
    private(set) var shifts: [Int] = []

    /// Larger charts are aligned near the diagonal only. Each cell takes eight bytes.
    static let mostCells = 5_000_000

    /// The logarithms of odds. A gap opens, and goes on, at these.
    struct Odds {
        var open: Float = -3
        var extend: Float = -0.12
        var bar: Float = 1.2
        var both: Float = 0.7
        var onlyOne: Float = -1.8
        var neither: Float = 0.15
        var height: Float = 1.3
        var heightLow: Float = -1.6
        var mass: Float = 1.2
        var share: Float = 1.6
        var scale: Float = 0.8
        init() {}
    }

    nonisolated(unsafe) static var odds = Odds()

    init(_ a: InkEvents, _ b: InkEvents) {
        partners = Array(repeating: nil, count: a.count)
        likelihoods = Array(repeating: 0, count: a.count)
        guard a.count > 0, b.count > 0 else { return }
        align(Comparison(a, b, shifts: nil))
        let candidates = Set([Comparison.commonShifts(a, b), Comparison.shifts(of: self, a, b)])
        var best: InkAlignment?
        for shifts in candidates {
            var other = self
            other.partners = Array(repeating: nil, count: a.count)
            other.likelihoods = Array(repeating: 0, count: a.count)
            other.shifts = shifts
            other.align(Comparison(a, b, shifts: shifts))
            if other.worth > best?.worth ?? -.infinity { best = other }
        }
        if let best { self = best }
    }

    /// What decides how alike two events are, as tables.
    private struct Comparison {
        let a: InkEvents
        let b: InkEvents
        let staffCount: Int
        /// For each staff, how much lower the first chart's notes are.
        let shifts: [Int]
        let weight: Float
        let heights: [Float]
        let masses: [Float]
        let shares: [Float]

        init(_ a: InkEvents, _ b: InkEvents, shifts: [Int]?) {
            (self.a, self.b) = (a, b)
            staffCount = min(a.staffCount, b.staffCount)
            self.shifts = shifts ?? Array(repeating: 0, count: staffCount)
            let odds = InkAlignment.odds
            weight = odds.scale * min(1, 1.6 / Float(max(1, staffCount)))
            heights = (0..<256).map {
                guard shifts != nil else { return 0.3 }
                let spaces = Float($0) / 8
                return odds.heightLow + (odds.height - odds.heightLow) * exp(-spaces * spaces / (2 * 0.45 * 0.45))
            }
            masses = (0..<256).map { max(-odds.mass, 0.3 - odds.mass * Float($0) / 24) }
            shares = (0...100).map { max(-odds.share, 0.5 - Float($0 * $0) * 0.0035) }
        }

        static func commonShifts(_ a: InkEvents, _ b: InkEvents) -> [Int] {
            (0..<min(a.staffCount, b.staffCount)).map { Comparison.shift(a, b, staff: $0) }
        }

        /// How much lower the notes of the first chart are than their partners.
        static func shifts(of alignment: InkAlignment, _ a: InkEvents, _ b: InkEvents) -> [Int] {
            (0..<min(a.staffCount, b.staffCount)).map { staff in
                var counts = [Float](repeating: 0, count: 514)
                for i in 0..<a.count {
                    guard let j = alignment.partners[i] else { continue }
                    let (p, q) = (i * a.staffCount + staff, j * b.staffCount + staff)
                    guard a.masses[p] > 0, b.masses[q] > 0 else { continue }
                    let shift = Int(a.heights[p]) - Int(b.heights[q]) + 257
                    for near in max(0, shift - 1)...min(513, shift + 1) { counts[near] += alignment.likelihoods[i] * (near == shift ? 2 : 1) }
                }
                let best = counts.indices.max { counts[$0] < counts[$1] } ?? 257
                return counts[best] > 0 ? best - 257 : 0
            }
        }

        /// How much lower the notes of one chart are than those of the other in most pairs of notes.
        private static func shift(_ a: InkEvents, _ b: InkEvents, staff: Int) -> Int {
            let (left, right) = (histogram(a, staff), histogram(b, staff))
            var best: (shift: Int, worth: Float) = (0, 0)
            for shift in -44...44 {
                var worth: Float = 0
                for height in max(0, -shift)..<min(256, 256 - shift) { worth += left[height + shift] * right[height] }
                if shift == 0 { worth *= 1.04 }
                if worth > best.worth { best = (shift, worth) }
            }
            return best.shift
        }

        private static func histogram(_ events: InkEvents, _ staff: Int) -> [Float] {
            var counts = [Float](repeating: 0, count: 256)
            for event in 0..<events.count where events.masses[event * events.staffCount + staff] > 0 {
                let height = Int(events.heights[event * events.staffCount + staff])
                for near in -2...2 where (0..<256).contains(height + near) { counts[height + near] += Float(3 - abs(near)) }
            }
            return counts
        }

        func odds(_ i: Int, _ j: Int) -> Float {
            let (left, right) = (a.events[i], b.events[j])
            guard left.isBar == right.isBar else { return -30 }
            let odds = InkAlignment.odds
            if left.isBar { return odds.bar }
            var sum: Float = 0
            for staff in 0..<staffCount {
                let (p, q) = (i * a.staffCount + staff, j * b.staffCount + staff)
                let (m, n) = (Int(a.masses[p]), Int(b.masses[q]))
                if m > 0, n > 0 {
                    sum += odds.both + heights[min(255, abs(Int(a.heights[p]) - Int(b.heights[q]) - shifts[staff]))] + masses[abs(m - n)]
                } else {
                    sum += m == n ? odds.neither : odds.onlyOne
                }
            }
            return sum * weight + shares[Int(abs(left.share - right.share) * 100)]
        }
    }

    private mutating func align(_ comparison: Comparison) {
        let (n, m) = (comparison.a.count, comparison.b.count)
        // The band around the diagonal.
        let half = max(64, Self.mostCells / n / 2)
        func band(_ i: Int) -> Range<Int> {
            let middle = i * m / n
            return max(0, middle - half)..<min(m, middle + half)
        }
        let width = min(m, 2 * half)
        var forward = [Double](repeating: 0, count: n * width)
        let (open, extend) = (Double(exp(Self.odds.open)), Double(exp(Self.odds.extend)))
        // One chart's events that the other lacks: `down` for those of the first, `across` for those of the second.
        var scales = [Double](repeating: 1, count: n)
        var down = [Double](repeating: 0, count: m + 1), here = down, before = down
        var total: Double = 0
        // `before[j]` is the sum of all ways that end before event i with j events of the second chart done.
        for j in 0...m { before[j] = 1 }
        for i in 0..<n {
            let range = band(i)
            for j in 0...m { here[j] = 0 }
            var across: Double = 0, greatest: Double = 0
            for j in range.lowerBound...range.upperBound {
                // A way to (i + 1, j): a gap in the second chart, a pair (i, j - 1), or a gap in the first.
                down[j] = down[j] * extend + before[j] * open
                var match: Double = 0
                if j > range.lowerBound {
                    match = before[j - 1] * Double(exp(comparison.odds(i, j - 1)))
                    forward[i * width + j - 1 - range.lowerBound] = match
                }
                let sum = down[j] + match + across
                here[j] = sum
                across = across * extend + (down[j] + match) * open
                greatest = max(greatest, sum)
            }
            let scale = greatest > 0 ? 1 / greatest : 1
            scales[i] = scale
            total -= log(scale)
            for j in 0...m { (here[j], down[j]) = (here[j] * scale, down[j] * scale) }
            swap(&here, &before)
        }
        var sum: Double = 0
        for j in 0...m { sum += before[j] }
        worth = Float((total + log(max(1e-300, sum))) / Double(min(n, m)))
        goBack(comparison, forward: forward, width: width, scales: scales, sum: sum, band: band)
    }

    private mutating func goBack(
        _ comparison: Comparison, forward: [Double], width: Int, scales: [Double], sum: Double, band: (Int) -> Range<Int>
    ) {
        let (n, m) = (comparison.a.count, comparison.b.count)
        let (open, extend) = (Double(exp(Self.odds.open)), Double(exp(Self.odds.extend)))
        // The sums of all ways from a place to the end: `settled` of those that do not come from a gap in the first chart, `dropped` of those
        // that come from a gap in the second.
        var settled = [Double](repeating: 0, count: m + 1), here = settled, dropped = settled
        var skipped: Double = 0
        for j in stride(from: m, through: 0, by: -1) {
            settled[j] = 1 + open * skipped
            dropped[j] = settled[j]
            skipped = 1 + extend * skipped
        }
        for i in stride(from: n - 1, through: 0, by: -1) {
            let range = band(i), scale = scales[i]
            var best: (j: Int, likelihood: Double) = (0, 0)
            var skipped: Double = 0
            for j in 0...m { here[j] = 0 }
            for j in stride(from: range.upperBound, through: range.lowerBound, by: -1) {
                var ways = open * dropped[j] * scale
                if j < range.upperBound {
                    let likelihood = forward[i * width + j - range.lowerBound] * settled[j + 1] * scale / sum
                    if likelihood > best.likelihood { best = (j, likelihood) }
                    ways += settled[j + 1] * scale * Double(exp(comparison.odds(i, j)))
                }
                // Limited, since nearly impossible beginnings may have endings that are beyond all numbers.
                here[j] = min(1e300, ways + open * skipped)
                skipped = min(1e300, ways + extend * skipped)
                dropped[j] = min(1e300, here[j] + extend * dropped[j] * scale)
            }
            if best.likelihood > 0.02 { (partners[i], likelihoods[i]) = (best.j, Float(min(1, best.likelihood))) }
            swap(&here, &settled)
        }
    }
}
