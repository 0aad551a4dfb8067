import Library
import Platform

/// Reads charts' files through, beside the loop.
@LoopActor
struct ChartFileReader {
    let library: Library
    let side: SideThread

    /// Reads those that somebody touched since they were last read. What was saved over a chart, through the link that people
    /// open, is found by that, and the chart is fetched again.
    func readTouched() async throws(LibraryError) {
        var due = try library.charts.chartFilesToRead()[...]
        while !due.isEmpty, !Task.isCancelled {
            let some = due.prefix(Self.mostReadAtOnce)
            due = due.dropFirst(some.count)
            try library.charts.note(await side.run { ChartStore.read(some) })
        }
    }

    /// So many are written down together.
    private static let mostReadAtOnce = 16
}
