import Model
import Platform
import TestSupport

/// The service's true states over time, and the times of the last true answers.
struct Truth {
    /// The service's state from one moment on.
    struct State {
        let since: Moment
        let plans: [String: SmallService.Plan]
        let layers: [String: ServiceLayer]

        func has(_ attachment: String, in plan: String) -> Bool {
            plans[plan]?.charts.contains { $0.id == attachment } ?? false
        }
    }

    /// The kinds of requests that the service answers.
    enum Question: Hashable {
        case plans
        case items(String)
        case attachments(String)
        case layers(String)

        /// The kind of a request, by the part of the request's address that follows the service's address.
        init?(_ address: Substring) {
            let parts = address.split { "/?&=".contains($0) }.map(String.init)
            if parts.contains("schedules") {
                self = .plans
            } else if let place = parts.firstIndex(of: "plans"), place + 2 < parts.count,
                ["items", "all_attachments"].contains(parts[place + 2])
            {
                self = parts[place + 2] == "items" ? .items(parts[place + 1]) : .attachments(parts[place + 1])
            } else if let place = parts.firstIndex(of: "where%5Bplan_id%5D"), place + 1 < parts.count {
                self = .layers(parts[place + 1])
            } else {
                return nil
            }
        }
    }

    private var states: [State] = []
    /// When each question of the present poll last got a true answer.
    private var answered: [Question: Moment] = [:]
    /// When each question last got a true answer in a poll that ended without a fault.
    private var told: [Question: Moment] = [:]

    /// Records that the service changes at `now`.
    mutating func changed(to plans: [SmallService.Plan], _ layers: [String: ServiceLayer], at now: Moment) {
        states.append(State(since: now, plans: Dictionary(plans.map { ($0.id, $0) }) { first, _ in first }, layers: layers))
    }

    /// Notes the answer to a request that was sent at `moment`. The answer has the first page of a list or a later page, and `isTrue`
    /// is `false` if it differs from the service's state. A list is as old as its first page.
    mutating func answer(_ question: Question, isFirstPage: Bool = true, isTrue: Bool, askedAt moment: Moment) {
        if question == .plans, isFirstPage { answered = [:] }
        if isFirstPage || !isTrue { answered[question] = isTrue ? moment : nil }
    }

    /// Notes that a poll ended without a fault, so that its answers count from now on.
    mutating func pollEnded() { told.merge(answered) { $1 } }

    /// The service's states since all these questions were answered; `nil` if one of them was never answered.
    func states(sinceTold questions: Question...) -> [State]? {
        let moments = questions.compactMap { told[$0] }
        guard moments.count == questions.count, let moment = moments.min() else { return nil }
        return states.filter { $0.since > moment }.reduce(into: states.last { $0.since <= moment }.map { [$0] } ?? []) { $0.append($1) }
    }

    /// Whether the layers have changed since the question was last answered in full.
    func isNews(_ question: Question) -> Bool { Set((states(sinceTold: question) ?? []).map(\.layers)).count != 1 }

    /// All states of the service.
    var allStates: [State] { states }

    // MARK: Conclusions

    /// The charts that a plan has shown throughout since its last true answer, each with every content that it had in that time.
    /// Without a true answer, the time begins with the plan.
    func charts(of plan: String) -> [String: Set<String>] {
        let told = states(sinceTold: .items(plan), .attachments(plan))
        // If no answer was ever true, nothing shows what a plan had before it was removed.
        if told == nil, states(sinceTold: .plans)?.allSatisfy({ $0.plans[plan] == nil }) == true { return [:] }
        let all = told ?? states
        let known = all.compactMap { $0.plans[plan]?.charts }
        guard let first = known.first else { return [:] }
        var charts: [String: Set<String>] = [:]
        for chart in first where known.allSatisfy({ $0.contains { $0.id == chart.id } }) {
            // A chart that is removed from this plan still follows its content in other plans.
            charts[chart.id] = Set(all.flatMap { $0.plans.values.flatMap(\.charts) }.filter { $0.id == chart.id }.map { Self.hash($0) })
        }
        return charts
    }

    /// The next time at which a plan is played from; `nil` if this is uncertain, for example if the plan's times have changed since the
    /// list's last true answer. `now` is the range of times that a clock may show at present.
    func turn(of plan: String, at now: ClosedRange<Timestamp>) -> Timestamp? {
        guard let known = states(sinceTold: .plans), let plan = known.last?.plans[plan],
            known.allSatisfy({ $0.plans[plan.id].map { [$0.startsAt, $0.rehearsal] } == [plan.startsAt, plan.rehearsal] })
        else { return nil }
        guard let rehearsal = plan.rehearsal.flatMap({ Timestamp($0) }), rehearsal >= now.lowerBound else {
            return Timestamp(plan.startsAt)
        }
        return rehearsal > now.upperBound ? rehearsal : nil
    }

    /// The possible sets of dots of the service's layers on a page of a chart in a plan. Any of these sets is right; `nil` if they are
    /// unknown.
    func dots(on attachment: String, page: Int, in plan: String, besides hidden: Set<String>) -> Set<Set<Double>>? {
        guard let known = states(sinceTold: .layers(plan)), known.first?.has(attachment, in: plan) == true else { return nil }
        let ids = Set(known.flatMap(\.layers.values).filter { $0.attachment == attachment }.map(\.id)).subtracting(hidden)
        return ids.reduce(into: [[]]) { all, id in
            let choices = Set(known.map { $0.layers[id]?.shown.filter { $0.page == page }.map(\.x) ?? [] }.map(Set.init))
            all = Set(all.flatMap { former in choices.map(former.union) })
        }
    }

    static func hash(_ chart: SmallService.Chart) -> String { "\(ChartHash(SHA256.digest(of: chart.bytes)))" }
}
