public import BandLayout
public import Model
public import Readiness

/// A device's report to its band on its readiness: counts, titles and short sentences, no paths.
public enum BandWord {
    /// The plans in a report, and its time; the time is `nil` if plans may be missing. An unchanged entry keeps its time until half
    /// the age at which readers would ignore it, but only for an hour if a plan is near.
    public static func readiness(
        _ report: ReadinessReport, former: BandHead?, opened: [PlanID: Timestamp]
    ) -> (plans: [BandHead.Readiness], asOf: Timestamp?) {
        let isNear = report.plans.contains { ($0.plan.mainTime ?? report.asOf) - report.asOf < near }
        func holds(_ time: Timestamp) -> Bool { (.zero..<(isNear ? renewalNear : renewal)).contains(report.asOf - time) }
        let plans = report.plans.map { plan in
            let lacks = lacks(of: plan, in: report)
            func word(asOf time: Timestamp) -> BandHead.Readiness {
                BandHead.Readiness(
                    plan: plan.plan.id, title: plan.plan.displayName, time: plan.plan.mainTime.map(whole), isReady: lacks.isEmpty,
                    lacks: lacks, asOf: whole(time), opened: opened[plan.plan.id].map(whole))
            }
            let known = former?.readiness.first { $0.plan == plan.plan.id }
            if let known, word(asOf: known.asOf) == known, holds(known.asOf) { return known }
            return word(asOf: report.asOf)
        }
        // If the service has not answered in full, plans may be missing here.
        guard report.doubt == nil, let age = report.age, age <= ReadinessReport.greatestAge else { return (plans, nil) }
        if let former, let asOf = former.asOf, plans == former.readiness, holds(asOf) { return (plans, asOf) }
        return (plans, whole(report.asOf))
    }

    private static func lacks(of plan: ReadinessReport.Plan, in report: ReadinessReport) -> [String] {
        let doubt = [report.doubt].compactMap { $0?.row.short }
        let silence =
            (report.age ?? .seconds(Int64.max / 4)) > ReadinessReport.greatestAge
            ? [report.source == .sets ? "the folders could not be read for two days" : "the service has not answered for two days"] : []
        let charts = plan.unready.map { chart in "\(chart.item): \(chart.lacks.compactMap(\.row.short).joined(separator: ", "))" }
        let all = doubt + silence + plan.lacks.compactMap(\.row.short) + charts
        guard all.count > mostNamed else { return all }
        return all.prefix(mostNamed - 1) + ["and \(all.count - mostNamed + 1) more"]
    }

    /// The time as heads store it: in whole seconds.
    private static func whole(_ time: Timestamp) -> Timestamp { Timestamp(time.wholeSecond) ?? time }

    private static let renewal: Duration = .seconds(12 * 3600)
    /// How long an unchanged entry keeps its time in the last days before a plan, when people want fresher reports.
    private static let renewalNear: Duration = .seconds(3600)
    private static let near: Duration = .seconds(2 * 86_400)
    private static let mostNamed = 12
}
