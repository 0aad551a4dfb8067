/// An event at one place of a chart: a bar line, heads of notes or a rest in some of a system's staves, or a word outside all systems.
struct InkEvent {
    /// A word is identified by a number made of its letters.
    enum Kind: Hashable { case notes, bar, word(UInt32) }

    var page: Int
    /// The number of the system on its page; for a word, the number of the word.
    var system: Int
    /// The position in the system, in columns.
    var column: Float
    /// The position in the bar, from 0 to 1.
    var share: Float = 0
    var kind: Kind

    var isMusic: Bool { kind == .notes || kind == .bar }
}

/// A chart's events in reading order, with their ink in each staff. Heights and amounts of ink are in eighths of a space.
struct InkEvents {
    private(set) var events: [InkEvent] = []
    /// For each event, a value for each staff: the amount of ink; 0 if there is none.
    private(set) var masses: [UInt8] = []
    /// In the same order, the heights below the uppermost line, plus 64.
    private(set) var heights: [UInt8] = []
    /// In the same order, the columns.
    private(set) var columns: [Float] = []
    let staffCount: Int
    /// The number of the first staff that is compared, in systems that have more staves than `staffCount`.
    private let firstStaff: Int

    var count: Int { events.count }

    /// How many columns a head covers.
    private static let head = 5
    /// The least ink of an event in the columns of a head; a head has about 34.
    private static let least = 14
    /// Heads at most this many columns apart in the staves of a system are one event.
    private static let together: Float = 3.2
    /// Bar lines at most this many columns apart are one: a double bar.
    private static let double: Float = 6
    private static let mostEvents = 20_000

    init(_ pages: [PageMap], staffCount: Int, firstStaff: Int) {
        (self.staffCount, self.firstStaff) = (staffCount, firstStaff)
        for (page, map) in pages.enumerated() {
            for (number, word) in map.words.enumerated() where map.isHeading(word) && count < Self.mostEvents {
                append(InkEvent(page: page, system: number, column: 0, kind: .word(word.number)), [])
            }
            for (number, system) in map.systems.enumerated() where count < Self.mostEvents { add(system, page: page, number: number) }
        }
    }

    /// The index in a system of the staff with this number. A system with fewer staves lacks the uppermost ones, as where a singer rests.
    func staff(_ number: Int, in system: PageMap.System) -> Int? {
        let more = system.staves.count - staffCount
        let staff = number + (more < 0 ? more : min(firstStaff, more))
        return staff >= 0 ? staff : nil
    }

    /// The number of the staff with this index in a system.
    func number(ofStaff staff: Int, in system: PageMap.System) -> Int? {
        (0..<staffCount).first { self.staff($0, in: system) == staff }
    }

    private struct Peak {
        var column: Float
        var number: Int
        var mass: UInt8
        var height: UInt8
    }

    private mutating func add(_ system: PageMap.System, page: Int, number: Int) {
        var bars: [Float] = []
        for bar in system.bars.sorted() where bar - (bars.last ?? -100) > Self.double { bars.append(bar) }
        var peaks: [Peak] = []
        for staff in 0..<staffCount {
            guard let place = self.staff(staff, in: system) else { continue }
            peaks += Self.peaks(of: system.staves[place].columns, number: staff)
        }
        peaks.removeAll { peak in bars.contains { abs($0 - peak.column) < 2.5 } }
        peaks.sort { ($0.column, $0.number) < ($1.column, $1.number) }
        var bar = 0
        var left: Float = 0
        let end = Float(system.staves.first?.columnCount ?? 0)
        func right() -> Float { bar < bars.count ? bars[bar] : end }
        var rest = peaks[...]
        while let first = rest.first {
            while bar < bars.count, bars[bar] < first.column {
                append(InkEvent(page: page, system: number, column: bars[bar], kind: .bar), [])
                left = bars[bar]
                bar += 1
            }
            let group = rest.prefix { $0.column - first.column <= Self.together }
            rest = rest.dropFirst(group.count)
            let column = group.reduce(0) { $0 + $1.column } / Float(group.count)
            let share = min(1, max(0, (column - left) / max(1, right() - left)))
            append(InkEvent(page: page, system: number, column: column, share: share, kind: .notes), Array(group))
        }
        for bar in bars[bar...] { append(InkEvent(page: page, system: number, column: bar, kind: .bar), []) }
    }

    private mutating func append(_ event: InkEvent, _ peaks: [Peak]) {
        events.append(event)
        let place = masses.count
        masses += Array(repeating: 0, count: staffCount)
        heights += Array(repeating: 0, count: staffCount)
        columns += Array(repeating: event.column, count: staffCount)
        for peak in peaks where masses[place + peak.number] < peak.mass {
            (masses[place + peak.number], heights[place + peak.number]) = (peak.mass, peak.height)
            columns[place + peak.number] = peak.column
        }
    }

    /// The places of a staff with more broad ink than their surroundings.
    private static func peaks(of profile: [UInt8], number: Int) -> [Peak] {
        let count = profile.count / 3
        guard count > head else { return [] }
        // No head has more than 20 eighths in a column, as a heavy bar line or a brace does.
        let ink = (0..<count).map { min(20, Int(profile[3 * $0])) }
        let half = head / 2
        var sums = [Int](repeating: 0, count: count)
        var sum = ink[0] + ink[1]
        for column in 0..<count {
            sum += column + half < count ? ink[column + half] : 0
            sum -= column - half - 1 >= 0 ? ink[column - half - 1] : 0
            // Give the middle column more weight, so that the sum is greatest in the middle of a head.
            sums[column] = 2 * sum + ink[column]
        }
        var peaks: [Peak] = []
        for column in 0..<count where sums[column] >= 2 * least {
            let near = max(0, column - half - 1)...min(count - 1, column + half + 1)
            guard near.allSatisfy({ $0 < column ? sums[$0] < sums[column] : sums[$0] <= sums[column] }) else { continue }
            let covered = max(0, column - half)...min(count - 1, column + half)
            var (mass, middle, height) = (0, 0, 0)
            for place in covered {
                mass += ink[place]
                middle += ink[place] * place
                height += ink[place] * Int(profile[3 * place + 2])
            }
            guard mass > 0 else { continue }
            peaks.append(
                Peak(
                    column: Float(middle) / Float(mass) + 0.5, number: number, mass: UInt8(min(255, mass)),
                    height: UInt8(min(255, height / mass))))
        }
        return peaks
    }
}
