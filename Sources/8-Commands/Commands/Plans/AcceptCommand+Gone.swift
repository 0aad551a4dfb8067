import CommandLine
import Library
import Marks
import Model
import Platform

extension AcceptCommand {
    /// Drops the marks of the files in `folder` that are missing, or are in none of the configured folders.
    func accept(gone folder: String) throws {
        let outcome = try MarkFileStore.letGo(
            ofFilesBelow: folder, inLibraryAt: data, at: context.clock.timestamp, isOutside: { [roots] in roots.root(of: $0) == nil })
        if outcome.older > 0 {
            context.output.result(
                "\(folder): \(Self.files(outcome.older)) taken as \(outcome.older == 1 ? "it is" : "they are") now; '\(woodshed("layers CHART --history"))' lists the newer marks"
                    .printable)
            guard outcome.count > 0 else { return }
        }
        guard outcome.count > 0 else {
            throw CommandFailure(
                .failed,
                outcome.kept == 0
                    ? "no mark files are known in \(folder)"
                    : "no mark file in \(folder) is gone: \(Self.files(outcome.kept)) there can still be read, and nothing was changed")
        }
        let charts = outcome.charts
        let marks = charts.reduce(0) { $0 + $1.marks }
        let whose = charts.isEmpty ? ", which had no marks on any chart" : " with \(marks.counted("mark")) on \(charts.counted)"
        context.output.result("\(folder): \(Self.files(outcome.count)) dropped\(whose)".printable)
        for chart in charts { context.output.result("  \(chart.filename): \(chart.marks.counted("mark"))".printable) }
        if outcome.kept > 0 {
            let why = outcome.kept == 1 ? "is kept: it is not gone" : "are kept: they are not gone"
            context.output.result("  \(Self.files(outcome.kept)) there \(why)".printable)
        }
        context.output.result(
            "Pages are drawn without them from now on; if a file comes back, so do its marks, and '\(woodshed("layers CHART --history"))' "
                + "lists what each had.")
    }

    private static func files(_ count: Int) -> String { count.counted("file") }
}

extension [FilesLetGo.Chart] {
    fileprivate var counted: String { count.counted("chart") }
}
