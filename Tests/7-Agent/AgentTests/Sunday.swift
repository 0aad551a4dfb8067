import Library
import Model
import Platform
import Rendering
import TestSupport

extension SmallService.Plan {
    /// Two charts of two pages, "Song a" and "Song b".
    static let sunday = SmallService.Plan(
        id: "1", startsAt: "2026-11-22T10:00:00Z",
        charts: ["a", "b"].map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) })
}

extension SmallService.Chart {
    /// The name of the chart's file in the library.
    var hash: ChartHash { ChartHash(SHA256.digest(of: bytes)) }
}

extension Stage {
    /// Sunday's plan on a new simulated machine.
    static func sunday(in folder: TemporaryFolder) throws -> Stage { try Stage([.sunday], in: folder) }

    /// Sets the renderer's description of one chart only; returns the path of that chart.
    @discardableResult
    func describe(_ chart: ChartHash, as description: ChartDescription) -> String {
        let path = library.charts.path(of: chart)
        let whole = renderer.describe
        renderer.describe = { $0 == path ? .success(description) : whole($0) }
        return path
    }
}
