/// Where the places of one chart are in another chart of the same music: a newer version, a part for another instrument, a scan.
///
/// Places are identified by the printed notes and bar lines, in reading order, and by words where there is no music. A place at a staff
/// keeps its distance from the notes beside it and from the staff's middle line.
public struct Following {
    /// A place in the other chart.
    public struct Place: Hashable, Sendable {
        public var page: Int
        public var point: PagePoint
        /// How much larger the music is in the other chart, in proportion to the page's width.
        public var scale: Double
        /// How likely this is the right place, from 0 to 1.
        public var confidence: Double

        public var isSure: Bool { confidence >= Following.sure }
    }

    /// The version of the method: another one may find other places.
    public static let version = 1
    /// Of the places with at least this confidence, fewer than one in two hundred is more than half a space away from the right one.
    public static let sure = 0.9
    /// A point at most this many columns from an event keeps its distance from the event. Other points lie between two events.
    private static let near = 2.4
    /// The least worth of charts of the same music (`InkAlignment.worth`). With less, no place is sure.
    private static let leastWorth = 0.45
    /// The least share of events with partners in such charts.
    private static let leastPairs = 0.75
    /// Any two charts have some bars that are alike. So a pair is certain only if the events around it, this many on each side, have
    /// partners with at least this average likelihood.
    private static let (around, leastSupport) = (12, 0.75)
    /// The most staves that are compared, and the most table cells for all attempts to find a part's staves in a score.
    private static let (mostStaves, mostCells) = (8, 20_000_000)
    /// A point is beside a staff if it is at most this many spaces away from its middle line.
    private static let beside = 12.0

    let a: [PageMap]
    let b: [PageMap]
    private let from: InkEvents
    private let to: InkEvents
    private let alignment: InkAlignment
    /// The numbers of the first chart's events that have partners, for each page.
    private let paired: [[Int]]
    /// For each event of the first chart, the average likelihood of the pairs around it.
    private let support: [Double]

    /// Follows the first chart into the second one.
    public init(_ a: [PageMap], _ b: [PageMap]) {
        (self.a, self.b) = (a, b)
        let counts = (Self.usualStaves(a), Self.usualStaves(b)), common = min(counts.0, counts.1, Self.mostStaves)
        var best = Self.align(a, b, common, firsts: (0, 0))
        // A part has one or some of the score's staves: find those that are most like it.
        let more = abs(counts.0 - counts.1), cells = max(1, best.from.count * best.to.count)
        for first in 1..<max(2, min(more + 1, Self.mostCells / cells)) where more > 0 {
            let other = Self.align(a, b, common, firsts: counts.0 > counts.1 ? (first, 0) : (0, first))
            if other.alignment.worth > best.alignment.worth { best = other }
        }
        (from, to, alignment) = best
        var paired = a.map { _ in [Int]() }
        for (event, partner) in zip(best.from.events, best.alignment.partners.indices) where best.alignment.partners[partner] != nil {
            paired[event.page].append(partner)
        }
        self.paired = paired
        let likelihoods = best.alignment.likelihoods
        support = likelihoods.indices.map {
            let near = likelihoods[max(0, $0 - Self.around)...min(likelihoods.count - 1, $0 + Self.around)]
            return near.reduce(0, +) / Double(near.count)
        }
    }

    private static func align(
        _ a: [PageMap], _ b: [PageMap], _ staffCount: Int, firsts: (Int, Int)
    ) -> (from: InkEvents, to: InkEvents, alignment: InkAlignment) {
        let from = InkEvents(a, staffCount: staffCount, firstStaff: firsts.0)
        let to = InkEvents(b, staffCount: staffCount, firstStaff: firsts.1)
        return (from, to, InkAlignment.best(from, to))
    }

    /// How many staves most of the chart's systems have.
    private static func usualStaves(_ pages: [PageMap]) -> Int {
        var counts: [Int: Int] = [:]
        for system in pages.flatMap(\.systems) { counts[system.staves.count, default: 0] += 1 }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }

    /// The place in the other chart with the music or the words at a point of the first one. Near neither, this is the same place on the
    /// paper, which is never sure. `nil` if the other chart lacks the music, the words or the page.
    public func place(of point: PagePoint, page: Int) -> Place? {
        guard a.indices.contains(page) else { return nil }
        let map = a[page], staff = staff(at: point, on: map), word = map.nearestWord(to: point)
        if let staff, abs(staff.at.depth) <= Self.beside || word == nil { return place(at: staff, page: page) }
        if let word { return place(of: point, word: word.number, distance: word.distance, page: page) }
        return b.indices.contains(page) ? Place(page: page, point: point, scale: 1, confidence: 0) : nil
    }

    private func place(of point: PagePoint, word: Int, distance: Double, page: Int) -> Place? {
        let event = paired[page].first {
            if case .word = from.events[$0].kind { from.events[$0].system == word } else { false }
        }
        guard let event, let partner = alignment.partners[event] else { return nil }
        let target = to.events[partner]
        let (old, new) = (a[page].words[word], b[target.page].words[target.system])
        let (steep, newSteep) = (a[page].steepness, b[target.page].steepness)
        let height = max(1e-4, old.to.y - old.from.y) * steep, scale = max(1e-4, new.to.y - new.from.y) * newSteep / height
        let moved = PagePoint(
            x: new.from.x + (point.x - old.from.x) * scale, y: new.from.y + (point.y - old.from.y) * steep * scale / newSteep)
        // A point farther from a word than twice the word's height may belong to another word.
        let confidence = certainty * alignment.likelihoods[event] * (distance <= 2 * height ? 1 : 0.6)
        return Place(page: target.page, point: moved, scale: scale, confidence: confidence)
    }

    private func place(at spot: (system: Int, staff: Int, at: StaffPlace), page: Int) -> Place? {
        let (system, at) = (spot.system, spot.at), source = a[page].systems[system]
        guard let number = from.number(ofStaff: spot.staff, in: source) else { return nil }
        func column(_ event: Int) -> Double { Double(from.columns[event * from.staffCount + number]) }
        let here = paired[page].filter { from.events[$0].isMusic && from.events[$0].system == system }
        guard let nearest = here.min(by: { abs(column($0) - at.column) < abs(column($1) - at.column) }) else { return nil }
        let left = here.last { column($0) <= at.column }, right = here.first { column($0) > at.column }
        var (anchor, offset, confidence) = (nearest, at.column - column(nearest), likeness(nearest, number))
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
        let event = to.events[partner], map = b[event.page]
        guard let staff = to.staff(number, in: map.systems[event.system]) else { return nil }
        let (old, new) = (source.staves[spot.staff], map.systems[event.system].staves[staff])
        let point = new.point(at: StaffPlace(column: targetColumn(partner, number) + offset, depth: at.depth), steepness: map.steepness)
        let scale = new.space * map.steepness / (old.space * a[page].steepness)
        return Place(page: event.page, point: point, scale: scale, confidence: certainty * confidence)
    }

    /// How certain it is that both charts have the same music at all.
    private var certainty: Double {
        let pairs = alignment.likelihoods.reduce(0, +) / Double(max(1, min(from.count, to.count)))
        return min(1, max(0, alignment.worth / Self.leastWorth), pairs / Self.leastPairs)
    }

    private func targetColumn(_ event: Int, _ number: Int) -> Double { Double(to.columns[event * to.staffCount + number]) }

    /// How likely an event and its partner are the same in this staff: less likely if their ink differs in amount or height.
    private func likeness(_ event: Int, _ number: Int) -> Double {
        guard let partner = alignment.partners[event] else { return 0 }
        // An event with few pairs around it may resemble its partner by chance.
        let likelihood = alignment.likelihoods[event] * min(1, support[event] / Self.leastSupport)
        let (p, q) = (event * from.staffCount + number, partner * to.staffCount + number)
        let (m, n) = (Double(from.masses[p]), Double(to.masses[q]))
        guard m > 0, n > 0 else { return likelihood * (m != n ? 0.6 : from.events[event].kind == .bar ? 1 : 0.93) }
        let height = abs(Int(from.heights[p]) - Int(to.heights[q]) - alignment.shifts[number]), share = min(m, n) / max(m, n)
        return likelihood * (height <= 3 ? 1 : height <= 6 ? 0.93 : 0.7) * (share > 0.75 ? 1 : share > 0.55 ? 0.9 : 0.75)
    }

    /// The partners of two neighbouring events, if they are in one system and in the same order.
    private func partners(_ left: Int, _ right: Int) -> (Int, Int)? {
        guard let l = alignment.partners[left], let r = alignment.partners[right], l < r else { return nil }
        guard to.events[l].page == to.events[r].page, to.events[l].system == to.events[r].system else { return nil }
        return (l, r)
    }

    /// The staff nearest to a point.
    private func staff(at point: PagePoint, on page: PageMap) -> (system: Int, staff: Int, at: StaffPlace)? {
        var best: (system: Int, staff: Int, at: StaffPlace)?
        var least = Double.infinity
        for (number, system) in page.systems.enumerated() {
            for (index, staff) in system.staves.enumerated() {
                let at = staff.place(of: point, steepness: page.steepness)
                let beside = max(0, -at.column, at.column - Double(staff.columnCount)) / 4
                let distance = (abs(at.depth) + beside) * staff.space
                if distance < least { (best, least) = ((number, index, at), distance) }
            }
        }
        return best
    }
}
