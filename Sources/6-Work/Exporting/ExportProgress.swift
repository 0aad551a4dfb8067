/// How many of an export's charts are finished.
package struct ExportProgress: Hashable, Sendable {
    package private(set) var done = 0
    package let charts: Int

    init(of contents: ExportContents) { charts = contents.sections.reduce(0) { $0 + $1.charts.count } }

    /// Counts one more chart as finished.
    mutating func advance() -> ExportProgress {
        done += 1
        return self
    }
}
