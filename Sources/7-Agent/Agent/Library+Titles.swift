import Library
import Model

extension Library {
    /// A chart by the name that people know it by, for messages.
    func title(of chart: ChartHash) -> String {
        // The message is given even if the library cannot be asked.
        ((try? charts.filename(of: chart)) ?? nil).map { "'\($0)'" } ?? "chart \(chart.digest.shortHex)"
    }
}
