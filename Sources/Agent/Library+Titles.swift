import Library
import Model

extension Library {
    /// A chart as a person knows it, for what is told of it.
    func title(of chart: ChartHash) -> String {
        // It is told whether the library can be asked or not.
        ((try? charts.filename(of: chart)) ?? nil).map { "'\($0)'" } ?? "chart \(chart.digest.shortHex)"
    }
}
