#if canImport(Glibc)
    import Glibc
#endif

/// How alike two events are: the odds that they are the same event and not a pair by chance.
struct InkLikeness {
    let a: InkEvents
    let b: InkEvents
    private let staffCount: Int
    private let shifts: [Int]
    /// The weight of each staff: the staves of a system resemble each other, so many staves prove less than their number suggests.
    private let weight: Float
    private let heights: [Float]
    private let masses: [Float]
    private let shares: [Float]
    /// The odds for logarithms from -`reach` to `reach`, in steps of a sixteenth.
    private let odds: [Double]

    private static let reach = 24
    private static let steps = 16
    /// The logarithms of odds: for two bar lines, for the same word, for notes in both events' staves, in only one of them, and in neither.
    private static let (bar, word, both, onlyOne, neither): (Float, Float, Float, Float, Float) = (1.2, 3, 0.7, -1.8, 0.15)
    /// The same for notes at equal heights, and at quite different ones.
    private static let (equal, unequal): (Float, Float) = (1.3, -1.6)

    /// `shifts` states for each staff how much lower the first chart's notes are; with `nil`, heights do not count.
    init(_ a: InkEvents, _ b: InkEvents, shifts: [Int]?) {
        (self.a, self.b) = (a, b)
        staffCount = min(a.staffCount, b.staffCount)
        self.shifts = shifts ?? Array(repeating: 0, count: staffCount)
        weight = 0.8 * min(1, 1.6 / Float(max(1, staffCount)))
        heights = (0..<256).map {
            let spaces = Float($0) / 8
            return shifts == nil ? 0.3 : Self.unequal + (Self.equal - Self.unequal) * exp(-spaces * spaces / 0.4)
        }
        masses = (0..<256).map { max(-1.2, 0.3 - Float($0) / 20) }
        shares = (0...100).map { max(-1.6, 0.5 - Float($0 * $0) * 0.0035) }
        odds = (0...2 * Self.reach * Self.steps).map { exp(Double($0) / Double(Self.steps) - Double(Self.reach)) }
    }

    /// Writes the odds for an event of the first chart and each of these events of the second to their places in `row`.
    func odds(_ i: Int, _ range: Range<Int>, into row: inout [Double]) {
        let left = a.events[i], place = Int(left.share * 100)
        row.withUnsafeMutableBufferPointer { row in
            b.events.withUnsafeBufferPointer { events in
                for j in range {
                    guard left.kind == events[j].kind else {
                        row[j] = 0
                        continue
                    }
                    var sum = left.kind == .bar ? Self.bar : Self.word
                    if left.kind == .notes { sum = notes(i, j) * weight + shares[abs(place - Int(events[j].share * 100))] }
                    let step = Int((sum + Float(Self.reach)) * Float(Self.steps))
                    row[j] = odds[max(0, min(odds.count - 1, step))]
                }
            }
        }
    }

    private func notes(_ i: Int, _ j: Int) -> Float {
        var sum: Float = 0
        var (p, q) = (i * a.staffCount, j * b.staffCount)
        for staff in 0..<staffCount {
            let (m, n) = (Int(a.masses[p]), Int(b.masses[q]))
            if m > 0, n > 0 {
                let height = abs(Int(a.heights[p]) - Int(b.heights[q]) - shifts[staff])
                sum += Self.both + heights[min(255, height)] + masses[abs(m - n)]
            } else {
                sum += m == n ? Self.neither : Self.onlyOne
            }
            (p, q) = (p + 1, q + 1)
        }
        return sum
    }

    /// How much lower the first chart's notes are for each staff, judging by how often each height occurs.
    static func usualShifts(_ a: InkEvents, _ b: InkEvents) -> [Int] {
        (0..<min(a.staffCount, b.staffCount)).map { staff in
            let (left, right) = (histogram(a, staff), histogram(b, staff))
            var best: (shift: Int, worth: Float) = (0, 0)
            for shift in -44...44 {
                var worth: Float = 0
                for height in max(0, -shift)..<min(256, 256 - shift) { worth += left[height + shift] * right[height] }
                // Prefer no difference, since most parts are not transposed.
                if shift == 0 { worth *= 1.04 }
                if worth > best.worth { best = (shift, worth) }
            }
            return best.shift
        }
    }

    private static func histogram(_ events: InkEvents, _ staff: Int) -> [Float] {
        var counts = [Float](repeating: 0, count: 256)
        for event in 0..<events.count where events.masses[event * events.staffCount + staff] > 0 {
            let height = Int(events.heights[event * events.staffCount + staff])
            for near in -2...2 where (0..<256).contains(height + near) { counts[height + near] += Float(3 - abs(near)) }
        }
        return counts
    }

    /// How much lower the first chart's notes are than their partners, for each staff.
    static func shifts(of alignment: InkAlignment, _ a: InkEvents, _ b: InkEvents) -> [Int] {
        (0..<min(a.staffCount, b.staffCount)).map { staff in
            var counts = [Double](repeating: 0, count: 513)
            for i in 0..<a.count {
                guard let j = alignment.partners[i] else { continue }
                let (p, q) = (i * a.staffCount + staff, j * b.staffCount + staff)
                guard a.masses[p] > 0, b.masses[q] > 0 else { continue }
                let shift = Int(a.heights[p]) - Int(b.heights[q]) + 256
                for near in max(0, shift - 1)...min(512, shift + 1) { counts[near] += alignment.likelihoods[i] * (near == shift ? 2 : 1) }
            }
            let best = counts.indices.max { counts[$0] < counts[$1] } ?? 256
            return counts[best] > 0 ? best - 256 : 0
        }
    }
}
