/// What starting a program again and again costs, if each page gets a process of its own.
///
/// One process for a whole chart starts only once, which is cheaper for a peer, so that is what it is judged by: from the
/// cost of a process for a single page, all of the start is subtracted except for the page's equal share.
struct StartUp: Hashable, Sendable {
    /// CPU milliseconds of one start; never negative.
    var milliseconds: Double

    /// The median, over some charts, of how much more a process for every page costs than one for the whole chart, per start.
    init(_ charts: [(separate: [Double], together: Double)]) {
        let starts = charts.filter { $0.separate.count > 1 }.map { chart in
            (chart.separate.reduce(0, +) - chart.together) / Double(chart.separate.count - 1)
        }
        milliseconds = starts.isEmpty ? 0 : max(0, starts.median)
    }

    /// What a page costs in a process for all `pageCount` pages, if a process of its own took `measured`.
    func share(of measured: Double, pageCount: Int) -> Double {
        measured - milliseconds * (1 - 1 / Double(pageCount))
    }
}
