import CommandLine
import Exporting
import Model

/// The result of an export, and where it was written.
struct ExportAnswer: Answer {
    let file: String
    let outcome: PDFExport.Outcome
    /// Marks in the musician's own files that the export lacks, or shows in an older state than the files have. Each is a sentence.
    var unread: [String] = []

    var code: ExitCode { outcome.leftOut.isEmpty && unread.isEmpty ? .fine : .notReady }
    private var warnings: [String] { outcome.warnings + unread }

    static let form = JSONForm<ExportAnswer>(
        tellsProgress: true,
        [
            .init("file", "what was written: the PDF, or the first page of the folder of images", \.file),
            .init("charts", "how many charts are in it", \.outcome.charts),
            .init("pages", "how many pages those have", \.outcome.ownPages),
            .init("played", "how many pages it has, in the order in which they are played", \.outcome.pages),
            .init("bytes", "the size of the PDF; null of a folder") { $0.outcome.bytes > 0 ? $0.outcome.bytes : nil },
            .list(
                "left_out",
                of: JSONForm<PDFExport.Missing>([
                    .init("chart", "a chart that is not in it", \.chart), .init("why", "the reason, in words", \.why),
                ])
            ) { $0.outcome.leftOut },
            .init("shortened", "what the plan's page orders leave out, in words", \.outcome.shortened),
            .init("warnings", "what is not as it should be, in words", \.warnings),
        ])

    func warn(on output: Output) {
        for missing in outcome.leftOut { output.warning("left out: \(missing.chart): \(missing.why)".printable) }
        for warning in warnings { output.warning(warning.printable) }
    }

    func print(on output: Output) {
        warn(on: output)
        let size = outcome.bytes > 0 ? ", \(ByteCount(outcome.bytes))" : ""
        // Print the pages that the charts have, as 'woodshed ready' counts them. If the PDF has more or fewer, print that number,
        // too.
        let played = outcome.pages == outcome.ownPages ? "" : ", played as \(outcome.pages)"
        let counts = "\(outcome.charts.counted("chart")), \(outcome.ownPages.counted("page"))"
        output.result("\(file): \(counts)\(played)\(size)".printable)
        for sentence in outcome.shortened { output.result("  \(sentence)".printable) }
    }
}
