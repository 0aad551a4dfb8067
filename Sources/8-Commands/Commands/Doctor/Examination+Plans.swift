import Agent
import CommandLine
import Model
import Platform
import Readiness

/// What `woodshed ready` finds missing, as findings of the doctor: one for each cause.
extension Examination {
    /// `others` are the findings about this machine. A folder, a catalogue or a renderer that cannot be used is the cause of all that
    /// the plans lack, and is told already.
    static func plans(_ facts: DoctorFacts, besides others: [Finding]) -> [Finding] {
        guard let readiness = facts.readiness else { return [] }
        let problems = Set(others.filter { $0.state == .problem }.map(\.subject))
        guard problems.isDisjoint(with: ["data folder", "cache folder", "catalogue", "woodshed-render"]) else {
            return [.skipped(subject, untold)]
        }
        switch readiness {
        case .failure(let failure): return [.problem(subject, Wording(of: failure.message), mend: "\(woodshed("sync"))")]
        case .success(let verdict):
            let found = lacks(verdict, facts, problems) + age(verdict, facts.service, problems)
            let missing = missingMusic(facts.missingMusic, verdict.report)
            guard found.isEmpty else { return found + missing }
            guard !verdict.report.plans.isEmpty else {
                return missing + [Finding.skipped(subject, "there are no upcoming or pinned plans")]
            }
            let headline = Wording(of: verdict.headline)
            // Where something told above is the reason, the plan is not called ready. A mistake in the configuration is told word for word.
            let last =
                verdict.isReady
                ? Finding.ok(subject, headline) : Finding.skipped(subject, verdict.mistake == nil ? headline : Self.untold)
            return missing + [last]
        }
    }

    private static let subject = "next plan"
    private static let untold: Wording = "whether it is ready shows once the problems above are solved"

    /// What the plans lack: a finding for each remedy, with the first of what it mends.
    private static func lacks(_ verdict: ReadinessVerdict, _ facts: DoctorFacts, _ problems: Set<String>) -> [Finding] {
        let report = verdict.report
        var mends: [String] = []
        var lacking: [String: [Setback]] = [:]
        func add(_ name: String, _ lack: ReadinessLack) {
            guard !isTold(lack, facts, problems) else { return }
            let mend = remedy(for: lack, verdict.agent)
            if lacking[mend] == nil { mends.append(mend) }
            lacking[mend, default: []].append(Setback(name, lack.sentence))
        }
        if report.plans.isEmpty, let doubt = report.doubt { add("the plans", doubt) }
        for plan in report.plans {
            for lack in plan.lacks { add(plan.plan.displayName, lack) }
            for chart in plan.distinctCharts { for lack in chart.lacks { add(chart.displayName, lack) } }
        }
        return mends.map { mend in
            // What is not in the first line is counted as 'woodshed ready' lists it: a line for each chart.
            let all = lacking[mend] ?? []
            let first = Setback.folded(all).first
            let others = all.count { $0.message != first?.message }
            let more: Wording = others > 0 ? "; and \(others) more, which '\(woodshed("ready"))' lists" : ""
            return Finding.problem(subject, Wording(of: first?.description ?? "") + more, mend: Wording(of: mend))
        }
    }

    /// Whether another finding already has the cause of a lack, and its remedy.
    private static func isTold(_ lack: ReadinessLack, _ facts: DoctorFacts, _ problems: Set<String>) -> Bool {
        switch lack {
        case .marksUnseen(let folder): facts.unreadMusic.contains { $0.path == folder || folder.hasPrefix($0.path + "/") }
        // The cache's own limit is another cause, with another remedy.
        case .noRoom(_, let shortage): shortage.isOfDisk && !problems.isDisjoint(with: ["cache disk"])
        default: false
        }
    }

    private static func remedy(for lack: ReadinessLack, _ agent: AgentAnswer) -> String {
        if let advice = lack.advice { return advice }
        if agent.report?.pause != nil { return woodshed("resume") }
        return woodshed("sync")
    }

    /// The word of the service may be too old, or the clock too wrong, for a plan to count as ready.
    private static func age(_ verdict: ReadinessVerdict, _ service: DoctorFacts.Service, _ problems: Set<String>) -> [Finding] {
        guard problems.isDisjoint(with: ["token", "clock"]) else { return [] }
        if let doubt = verdict.clockDoubt, !verdict.isTimeKnown || verdict.report.age == nil {
            return [.problem(subject, Wording(of: doubt), mend: "sudo timedatectl set-ntp true, then: \(woodshed("sync"))")]
        }
        guard !verdict.isYoung else { return [] }
        // Where the address is wrong, a sync reaches nobody either.
        let isElsewhere = if case .answered(status: 404, _) = service { true } else { false }
        let remedy: Wording = "\(woodshed("sync"))"
        return [.problem(subject, Wording(of: verdict.asOf), mend: isElsewhere ? "correct account.api_url, then: " + remedy : remedy)]
    }

    /// Folders of marks that are not there. If marks from one are shown, that is among what the plans lack.
    private static func missingMusic(_ folders: [String], _ report: ReadinessReport) -> [Finding] {
        let away = report.lacks.compactMap { if case .marksUnread(let path, .away) = $0 { path } else { nil } }
        return folders.filter { folder in !away.contains { $0.hasPrefix(folder + "/") } }.map {
            Finding.warning(
                "music folder", "\($0) is not there, so nothing that is saved there shows on your pages",
                mend: "connect its disk; or make it: mkdir -p \($0.shellQuoted); or take it out of annotations.folders")
        }
    }
}
