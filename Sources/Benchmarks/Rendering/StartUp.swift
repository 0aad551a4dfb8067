/// What starting a program costs over and over, when each page gets a process of its own.
///
/// One process for a whole chart starts once, which is the cheaper way for a peer, and so the one that it is measured by:
/// of a process for one page, the page's equal share of one start is kept and the rest taken off.
struct StartUp: Hashable, Sendable {
    /// CPU milliseconds of one start; never negative.
    var milliseconds: Double

    /// By how much processes for every page of some charts cost more than one for each chart; the median.
    init(_ charts: [(separate: [Double], together: Double)]) {
        let starts = charts.filter { $0.separate.count > 1 }.map { chart in
            (chart.separate.reduce(0, +) - chart.together) / Double(chart.separate.count - 1)
        }
        milliseconds = starts.isEmpty ? 0 : max(0, starts.median)
    }

    /// What a page costs of which a process of its own took `measured`, in a process for all `pageCount` pages.
    func share(of measured: Double, pageCount: Int) -> Double {
        measured - milliseconds * (1 - 1 / Double(pageCount))
    }
}
