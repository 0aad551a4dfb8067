import Library
import Platform

/// Reads the charts' files, beside the loop.
@LoopActor
struct ChartFileReader {
    let library: Library
    let side: SideThread

    /// Reads those that somebody touched since they were last read. This finds charts that a program saved over, through the link in the
    /// music folder, and they are fetched again.
    func readTouched() async throws(LibraryError) {
        var due = try library.charts.chartFilesToRead()[...]
        while !due.isEmpty, !Task.isCancelled {
            let some = due.prefix(Self.mostReadAtOnce)
            due = due.dropFirst(some.count)
            try library.charts.note(await side.run { ChartStore.read(some) })
        }
    }

    /// The results for this many files are saved together.
    private static let mostReadAtOnce = 16
}
