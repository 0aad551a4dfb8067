import Model
import Platform

/// Charts whose pages could not be counted for a reason that has nothing to do with them: a full disk, a read-only catalogue, a renderer
/// that does not start. They are retried at growing intervals.
struct UncountedCharts {
    private struct Entry {
        var reason: String
        var times: Int
        /// When it is worth another try.
        var until: Moment
        /// How little the library's disk had free, if that was next to nothing.
        var room: ByteCount?
    }

    private var entries: [ChartHash: Entry] = [:]

    /// If a disk has more than this free, the failure had another reason.
    private static let littleRoom = 16 << 20
    /// This much more free space is worth another try.
    private static let someRoom = 1 << 20

    /// What went wrong, and how many charts each reason affected.
    var reasons: [String: Int] { entries.values.reduce(into: [:]) { $0[$1.reason, default: 0] += 1 } }

    /// The same, chart by chart.
    var byChart: [ChartHash: String] { entries.mapValues(\.reason) }
    /// The same by the chart's hash in hexadecimal.
    var byHash: [String: String] { Dictionary(uniqueKeysWithValues: entries.map { ($0.key.digest.hex, $0.value.reason) }) }
    var isEmpty: Bool { entries.isEmpty }

    /// What went wrong with one chart.
    func reason(of chart: ChartHash) -> String? { entries[chart]?.reason }

    /// Whether a chart may be tried, again or for the first time.
    func mayTry(_ chart: ChartHash, at now: Moment) -> Bool { entries[chart].map { $0.until <= now } ?? true }

    /// When the next one is due that is not due yet.
    func next(after now: Moment) -> Moment? { entries.values.lazy.map(\.until).filter { $0 > now }.min() }

    /// Notes a failure, and answers whether the reason is new. The second try is made at once, the next ones after growing pauses.
    mutating func note(_ reason: String, of chart: ChartHash, at now: Moment, free: ByteCount?) -> Bool {
        let former = entries[chart]
        let times = (former?.times ?? 0) + 1
        entries[chart] = Entry(
            reason: reason, times: times, until: now + GrowingPause.after(times - 1),
            room: free.flatMap { $0.bytes < Self.littleRoom ? $0 : nil })
        return former?.reason != reason
    }

    mutating func forget(_ chart: ChartHash) { entries[chart] = nil }

    /// Forgets all but these.
    mutating func keep(_ charts: Set<ChartHash>) {
        guard !entries.isEmpty else { return }
        entries = entries.filter { charts.contains($0.key) }
    }

    /// Makes all of them due. If a person asked for it (`isAsked`), the pauses start again from the shortest.
    mutating func hurry(at now: Moment, isAsked: Bool = false) {
        for chart in entries.keys {
            entries[chart]?.until = now
            if isAsked { entries[chart]?.times = 0 }
        }
    }

    /// Whether any failed on a disk that had next to no room.
    var lackedRoom: Bool { entries.values.contains { $0.room != nil } }

    /// Makes those due that found no room, if there is some now.
    mutating func noteRoom(_ free: ByteCount, at now: Moment) {
        for (chart, entry) in entries {
            guard let room = entry.room, free.bytes >= room.bytes + Self.someRoom else { continue }
            entries[chart]?.until = now
            entries[chart]?.room = free.bytes < Self.littleRoom ? free : nil
        }
    }
}
