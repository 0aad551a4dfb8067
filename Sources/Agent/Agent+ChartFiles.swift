import Library
import PageCache
import Platform

extension Agent {
    /// Reads those charts' files through that somebody touched since they were last read. What was saved over a chart, through
    /// the link that people open, is found by that, and the chart is fetched again.
    func readChartFiles() async {
        do {
            var due = try parts.library.chartFilesToRead()[...]
            while !due.isEmpty, !Task.isCancelled {
                let some = due.prefix(Self.mostReadAtOnce)
                due = due.dropFirst(some.count)
                try parts.library.note(await parts.cache.side.run { Library.read(some) })
            }
        } catch {
            parts.log.error("\(error)")
        }
    }

    /// So many are written down together.
    private static let mostReadAtOnce = 16
}
