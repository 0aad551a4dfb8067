package import Model

/// The chart, plan or everything whose images are to be removed.
package struct ClearChoice: Hashable {
    /// For people.
    package let what: String
    /// Nil for all charts.
    package var charts: [ChartHash]?
    /// The names of charts that keep their images because another plan that is kept ready shows them.
    var spared: [String] = []

    package init(what: String, charts: [ChartHash]? = nil, spared: [String] = []) {
        self.what = what
        self.charts = charts
        self.spared = spared
    }
}

extension ClearChoice {
    /// The charts of `plan` that none of the other plans in `kept` shows. A chart's images are all removed together, those made for
    /// other marks included.
    package init(
        of plan: Plan, among plans: [PlanContents], kept: [PlanContents], hash: (ChartUse) throws -> ChartHash?
    ) rethrows {
        var others: Set<ChartHash> = []
        for attachment in kept.filter({ $0.plan.id != plan.id }).flatMap(\.attachments) {
            if let chart = try hash(attachment.use) { others.insert(chart) }
        }
        var charts: [ChartHash] = []
        var spared: [String] = []
        for attachment in plans.filter({ $0.plan.id == plan.id }).flatMap(\.attachments) {
            guard let chart = try hash(attachment.use), !charts.contains(chart) else { continue }
            if others.contains(chart) { spared.append(attachment.filename) } else { charts.append(chart) }
        }
        self.init(what: "\(PlanFinder.words(plan)) (plan \(plan.id))", charts: charts, spared: spared)
    }
}
