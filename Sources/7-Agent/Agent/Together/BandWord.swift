public import BandLayout
public import Model
public import Readiness

/// What a device says to its band of how ready it is: counts, titles and short words, no paths.
public enum BandWord {
    /// What is said of the plans in a report, and when. A word that still holds keeps its time until it is half as old as anybody would
    /// believe.
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
        // Who has not heard all of the service does not know that these are all.
        guard report.doubt == nil, let age = report.age, age <= ReadinessReport.greatestAge else { return (plans, nil) }
        if let former, let asOf = former.asOf, plans == former.readiness, holds(asOf) { return (plans, asOf) }
        return (plans, whole(report.asOf))
    }

    private static func lacks(of plan: ReadinessReport.Plan, in report: ReadinessReport) -> [String] {
        let doubt = report.doubt.map { [words($0)] } ?? []
        let silence =
            (report.age ?? .seconds(Int64.max / 4)) > ReadinessReport.greatestAge ? ["the service has not answered for two days"] : []
        let charts = plan.unready.map { chart in "\(chart.item): \(chart.lacks.map(words).joined(separator: ", "))" }
        let all = doubt + silence + plan.lacks.map(words) + charts
        guard all.count > mostNamed else { return all }
        return all.prefix(mostNamed - 1) + ["and \(all.count - mostNamed + 1) more"]
    }

    /// Short, since the others need to know that something is missing, and only its owner what to do.
    private static func words(_ lack: ReadinessLack) -> String {
        switch lack {
        case .notDownloaded, .fileGone: "not here yet"
        case .outOfDate: "an older version is here"
        case .notRendered, .notCounted: "not drawn yet"
        case .marksUnread, .moreMarksUnread, .marksUnsorted: "marks not read yet"
        case .marksUnreadable: "marks that cannot be read"
        case .layerDoubted: "marks in doubt"
        default: lack.name.replacing("-", with: " ")
        }
    }

    /// Files say seconds.
    private static func whole(_ time: Timestamp) -> Timestamp { Timestamp(time.wholeSecond) ?? time }

    private static let renewal: Duration = .seconds(12 * 3600)
    /// On the last days, people ask for fresher words.
    private static let renewalNear: Duration = .seconds(3600)
    private static let near: Duration = .seconds(2 * 86_400)
    private static let mostNamed = 12
}
