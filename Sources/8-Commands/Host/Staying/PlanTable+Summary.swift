package import Agent
import CommandLine

extension PlanTable {
    /// What is here, in one line.
    package func summary(_ tally: Tally) -> String {
        let missing = wanted - images
        return
            "\(plans.counted("upcoming plan")), \(charts.counted("chart")), \(pages.counted("page")), \(images.counted("image")) ready"
            + (missing > 0 ? ", \(missing) missing" : "")
            + "; \(tally.downloaded.counted("chart")) downloaded, \(tally.rendered.counted("image")) rendered"
            + (tally.failed > 0 ? ", \(tally.failed) failed" : "")
    }
}
