/// Where the places of one chart are in another chart of the same music.
public struct Following {
    /// A place in the other chart.
    public struct Place: Hashable, Sendable {
        public var page: Int
        public var point: PagePlace
        /// How much larger the music is printed there, in proportion to the page's width.
        public var scale: Double
        /// How likely it is the same place, from 0 to 1.
        public var confidence: Double

        public var isSure: Bool { confidence >= Following.sure }
    }

    /// Of the places with at least this confidence, fewer than one in two hundred is another place.
    public static let sure = 0.9

    let a: [PageMap]
    let b: [PageMap]
    private let from: InkEvents
    private let to: InkEvents
    private let alignment: InkAlignment
    /// The numbers of the first chart's events that have partners, in order.
    private let paired: [Int]

    public init(_ a: [PageMap], _ b: [PageMap]) {
        (self.a, self.b) = (a, b)
        let counts = (Self.usualStaves(a), Self.usualStaves(b)), common = min(counts.0, counts.1, 8)
        var best: (from: InkEvents, to: InkEvents, alignment: InkAlignment)?
        for first in 0...min(12, abs(counts.0 - counts.1)) {
            let from = InkEvents(a, staffCount: common, firstStaff: counts.0 > counts.1 ? first : 0)
            let to = InkEvents(b, staffCount: common, firstStaff: counts.1 > counts.0 ? first : 0)
            let alignment = InkAlignment(from, to)
            if alignment.worth > best?.alignment.worth ?? -.infinity { best = (from, to, alignment) }
        }
        let found = best ?? (InkEvents([], staffCount: 0, firstStaff: 0), InkEvents([], staffCount: 0, firstStaff: 0), InkAlignment.none)
        (from, to, alignment) = found
        paired = found.from.events.indices.filter { found.alignment.partners[$0] != nil }
    }

    /// How many staves most of the chart's systems have.
    private static func usualStaves(_ pages: [PageMap]) -> Int {
        var counts: [Int: Int] = [:]
        for system in pages.flatMap(\.systems) { counts[system.staves.count, default: 0] += 1 }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }

    public var worth: Float { alignment.worth }

    /// The place in the other chart that has the music of a point of the first one; `nil` if there is none.
    public func place(of point: PagePlace, page: Int) -> Place? {
        guard a.indices.contains(page), let (system, staff, at) = staff(at: point, on: a[page]) else { return nil }
        let source = a[page].systems[system]
        guard let number = from.number(ofStaff: staff, in: source) else { return nil }
        // The events with partners around the point in its system.
        func column(_ event: Int) -> Double { Double(from.columns[event * from.staffCount + number]) }
        let here = paired.filter { from.events[$0].page == page && from.events[$0].system == system }
        guard !here.isEmpty else { return nil }
        let nearest = here.min { abs(column($0) - at.column) < abs(column($1) - at.column) }!
        let left = here.last { column($0) <= at.column }, right = here.first { column($0) > at.column }
        var (anchor, offset) = (nearest, at.column - column(nearest))
        var confidence = likeness(nearest, number)
        if abs(offset) > Self.near, let left, let right, let (l, r) = partners(left, right) {
            let share = (at.column - column(left)) / max(0.1, column(right) - column(left))
            offset = share * (targetColumn(r, number) - targetColumn(l, number))
            anchor = left
            confidence = 0.95 * min(likeness(left, number), likeness(right, number))
        } else if abs(offset) > Self.near {
            confidence *= 0.5
        } else if abs(offset) > Self.near / 2 {
            confidence *= 0.95
        }
        guard let partner = alignment.partners[anchor] else { return nil }
        let event = to.events[partner], target = b[event.page].systems[event.system]
        guard let targetStaff = to.staff(number, in: target) else { return nil }
        let place = StaffPlace(column: targetColumn(partner, number) + offset, depth: at.depth)
        let (old, new) = (a[page].systems[system].staves[staff], target.staves[targetStaff])
        return Place(
            page: event.page, point: new.point(at: place, steepness: b[event.page].steepness),
            scale: new.spaceAcross(b[event.page].steepness) / old.spaceAcross(a[page].steepness), confidence: confidence)
    }

    /// How many columns from what stands there a point is moved with it.
    private static let near = 2.4

    /// How likely an event and its partner are the same, and at the same place in this staff: what stands there is as large and as high.
    private func likeness(_ event: Int, _ number: Int) -> Double {
        guard let partner = alignment.partners[event] else { return 0 }
        let (p, q) = (event * from.staffCount + number, partner * to.staffCount + number)
        let (m, n) = (Double(from.masses[p]), Double(to.masses[q]))
        let likelihood = Double(alignment.likelihoods[event])
        guard m > 0, n > 0 else { return likelihood * (m == n ? (from.events[event].isBar ? 1 : 0.93) : 0.6) }
        let height = abs(Int(from.heights[p]) - Int(to.heights[q]) - alignment.shifts[number]), share = min(m, n) / max(m, n)
        return likelihood * (height <= 3 ? 1 : height <= 6 ? 0.93 : 0.7) * (share > 0.75 ? 1 : share > 0.55 ? 0.9 : 0.75)
    }

    private func targetColumn(_ event: Int, _ number: Int) -> Double { Double(to.columns[event * to.staffCount + number]) }

    /// The partners of two neighbours, if they stand in one system in the same order.
    private func partners(_ left: Int, _ right: Int) -> (Int, Int)? {
        guard let l = alignment.partners[left], let r = alignment.partners[right], l < r else { return nil }
        guard to.events[l].page == to.events[r].page, to.events[l].system == to.events[r].system else { return nil }
        return (l, r)
    }

    /// The staff nearest to a point.
    private func staff(at point: PagePlace, on page: PageMap) -> (system: Int, staff: Int, at: StaffPlace)? {
        var best: (system: Int, staff: Int, at: StaffPlace, distance: Double)?
        for (number, system) in page.systems.enumerated() {
            for (index, staff) in system.staves.enumerated() {
                let at = staff.place(of: point, steepness: page.steepness)
                let beside = max(0, -at.column, at.column - Double(staff.columnCount)) / 4
                let distance = (abs(at.depth) + beside) * staff.space
                if distance < best?.distance ?? .infinity { best = (number, index, at, distance) }
            }
        }
        return best.map { ($0.system, $0.staff, $0.at) }
    }
}

extension InkAlignment {
    static let none = InkAlignment(InkEvents([], staffCount: 0, firstStaff: 0), InkEvents([], staffCount: 0, firstStaff: 0))
}
