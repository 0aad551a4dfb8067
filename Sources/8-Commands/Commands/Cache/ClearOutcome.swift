import CommandLine
import Model
import PageCache

/// The chart, plan or everything whose images are to be removed.
struct ClearChoice: Hashable {
    let what: String
    /// Nil for all charts.
    var charts: [ChartHash]?
    /// The names of charts that keep their images because another plan that is kept ready shows them.
    var spared: [String] = []

    init(what: String, charts: [ChartHash]? = nil, spared: [String] = []) {
        (self.what, self.charts, self.spared) = (what, charts, spared)
    }
}

extension ClearChoice {
    /// The charts of `plan` that none of the other plans in `kept` shows. A chart's images are all removed together, those made for
    /// other marks included.
    init(
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

/// The outcome of clearing the cache, or a part of it.
struct ClearOutcome {
    let choice: ClearChoice
    let removed: Int
    let freed: ByteCount
    let failures: [TrimReport.Failure]
    /// How many of the removed images the next sync or agent makes again; `nil` if that is not known.
    let again: Int?

    init(choice: ClearChoice, removed: Int, freed: ByteCount, failures: [TrimReport.Failure], again: Int?) {
        (self.choice, self.removed, self.freed, self.failures, self.again) = (choice, removed, freed, failures, again)
    }

    func print(on output: Output) {
        output.result("\(choice.what): removed \(removed.counted("image")), \(freed)".printable)
        if !choice.spared.isEmpty {
            output.result(
                "\(choice.spared.count.counted("chart")) kept, since another upcoming or pinned plan shows \(choice.spared.count == 1 ? "it" : "them"): \(choice.spared.joined(separator: ", "))"
                    .printable)
        }
        if let again, removed > 0 {
            output.result(
                again == 0
                    ? "No upcoming or pinned plan needs any of them; none will be drawn again."
                    : "\(again) of them \(again == 1 ? "is" : "are") needed by upcoming or pinned plans; the next sync or the agent draws \(again == 1 ? "it" : "them") again."
            )
        }
        if let failure = failures.first {
            output.warning("\(failures.count.counted("image")) could not be removed: \(failure.error)".printable)
        }
    }

    /// The JSON of `woodshed cache clear`.
    static let form = JSONForm<ClearOutcome>([
        .init("what", "whose images were removed", \.choice.what), .init("images", "how many", \.removed),
        .init("bytes", "what they took up", \.freed),
        .init("kept_charts", "charts whose images are kept, since another plan shows them", \.choice.spared),
        .init("made_again", "how many of the images are needed and made again", \.again),
        .init("failed", "how many could not be removed", \.failures.count),
    ])
}
