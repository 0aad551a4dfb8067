import Agent
import CommandLine
import Model
import Readiness

/// The answer to "is Sunday ready?".
struct ReadinessVerdict: Answer {
    /// How old the service's last full answer may be by default.
    static let defaultMaxAge = ReadinessReport.greatestAge

    let report: ReadinessReport
    /// How old the service's last full answer may be; `nil` for any age.
    let maxAge: Duration?
    /// The agent that does the remaining work, or that none is running.
    var agent = AgentAnswer.absent
    /// The first mistake in the configuration, if only a part of it could be read: nobody knows then which folders of marks and which
    /// charts it would name.
    var mistake: String?

    var code: ExitCode { isReady ? .fine : .notReady }

    private var isOfSets: Bool { report.source == .sets }

    var isYoung: Bool {
        guard let maxAge else { return true }
        return report.age.map { $0 <= maxAge } ?? false
    }

    /// What is said where no time of a full answer is known. A catalogue from a backup may have had one.
    var unknownAnswer: String {
        switch report.doubt {
        case .restored(let time?):
            "what \(isOfSets ? "your folders had" : "the service has answered") since \(TimeText.minute(time)) is not known here any more, "
                + "as the catalogue is from a backup"
        case .restored, .begunAnew:
            "it is not known here any more when \(isOfSets ? "your folders were last read" : "the service last answered in full")"
        default: TimeText.lastAnswer(nil, of: report.source)
        }
    }

    /// How long ago the last full answer was, as far as that is known.
    var lastAnswer: String { report.age.map { TimeText.lastAnswer($0, of: report.source) } ?? unknownAnswer }

    var isReady: Bool { report.isReady && isYoung && isTimeKnown && mistake == nil && !report.plans.isEmpty }

    /// Whether this machine's clock shows reliably which plan is next: the clock is off by less than an hour, so that no plan
    /// counts as past too early, or no difference from the service's clock is known.
    var isTimeKnown: Bool { report.clockAhead.map { $0 > .seconds(-3600) && $0 < .seconds(3600) } ?? true }

    /// A suspicion about this machine's clock; `nil` if there is none.
    var clockDoubt: String? {
        if let ahead = report.clockAhead {
            let span = TimeText.span(ahead < .zero ? .zero - ahead : ahead)
            return "The clock of this computer is \(span) \(ahead < .zero ? "behind" : "ahead of") the service's: set the clock. "
                + "Until then the next plan may be the wrong one, and nothing old is removed."
        }
        guard let poll = report.lastPoll else { return nil }
        if report.age == nil {
            return "The clock of this computer says \(TimeText.minute(report.asOf)), but "
                + "\(isOfSets ? "your folders were last read" : "the service was last asked") at \(TimeText.minute(poll)) by the same clock: it was wrong then or is wrong now. Set the clock, then run '\(woodshed("sync"))'."
        }
        guard report.plans.isEmpty, !isYoung else { return nil }
        return
            "The clock of this computer says \(TimeText.minute(report.asOf)). If that is wrong, set the clock: there may be an upcoming plan."
    }

    var isNextReady: Bool { isYoung && isTimeKnown && mistake == nil && report.plans.first?.isReady ?? false }

    /// A sentence for each thing that is missing. A thing that several plans lack is named once.
    var lacks: [String] { lacks { _ in true } }

    /// A sentence for each missing thing that `isWanted` accepts.
    func lacks(_ isWanted: (ReadinessLack) -> Bool) -> [String] {
        var lacks = report.plans.isEmpty ? [report.doubt].compactMap(\.self).filter(isWanted).map(\.advised) : []
        func add(_ lack: String) { if !lacks.contains(lack) { lacks.append(lack) } }
        let ofPlans = report.plans.flatMap { plan in plan.lacks.filter(isWanted).map { Setback(plan.plan.displayName, $0.advised) } }
        for lack in Setback.folded(ofPlans) { add("\(lack)") }
        for plan in report.plans {
            for chart in plan.distinctCharts {
                for lack in chart.lacks where isWanted(lack) {
                    add(lack.isOfRoom ? lack.advised : "\(chart.displayName): \(lack.advised)")
                }
            }
        }
        return lacks
    }

    /// The answer for all plans, in a sentence or two.
    var headline: String {
        if let mistake { return "Not ready: only a part of the configuration can be read, so marks and charts may be missing: \(mistake)" }
        guard report.plans.count > 1, let first = report.plans.first else { return nextHeadline }
        let unready = report.plans.filter { !$0.isReady }
        guard !unready.isEmpty else {
            let all = report.plans.count == 2 ? "both" : "all \(report.plans.count)"
            return "\(Self.word(isReady)): \(all) plans, next \(name(first)), are here\(agePhrase ?? "")."
        }
        return "Not ready: \(unready.count) of \(report.plans.count) plans \(Self.lacking(unready)); "
            + (first.isReady
                ? "the next, \(name(first)), is here."
                : first.unread.map { "the next, \(name(first)), \(Self.unread($0))." } ?? "next \(state(first))")
    }

    /// One line that names the next plans, and one that says whether they are ready.
    var brief: (next: String, state: String) {
        guard !report.plans.isEmpty else {
            guard report.doubt == nil, report.lastPoll != nil else { return ("not known", "no; '\(woodshed("ready"))' says why") }
            return ("no plan is coming", "nothing to be ready for, as far as \(isOfSets ? "your folders say" : "the service has said")")
        }
        let count = report.plans.reduce(0) { $0 + $1.distinctCharts.count }
        let pages = report.plans.reduce(0) { $0 + $1.pages }
        return (
            report.plans.map { name($0) }.joined(separator: "; "),
            isReady
                ? "yes, \(count.counted("chart")), \(pages.counted("page")), all here"
                : "no; '\(woodshed("ready"))' says what is missing"
        )
    }

    private static func unread(_ isTried: Bool) -> String { isTried ? "could not be fetched" : "has not been fetched yet" }

    /// The answer for the first plan. A sentence about the other plans follows if all plans are ready, or if something is missing
    /// from one of the others.
    var nextHeadline: String {
        guard let first = report.plans.first else {
            if let doubt = report.doubt { return "Not ready: \(doubt.sentence)." }
            guard report.lastPoll != nil else {
                return "Not ready: \(unknownAnswer), so there may be an upcoming plan."
            }
            return "Nothing to be ready for: there are no upcoming or pinned plans."
        }
        let others = report.plans.dropFirst()
        let lacking = others.filter { !$0.isReady }
        let unready = lacking.count
        let rest =
            switch (others.count, unready) {
            case (0, _): ""
            case (_, 0): others.count == 1 ? " So is the other plan." : " So are the \(others.count) other plans."
            default: " \(unready) of \(others.count.counted("other plan")) \(Self.lacking(lacking))."
            }
        return "\(Self.word(isNextReady)): \(state(first))" + (isNextReady || unready > 0 ? rest : "")
    }

    /// What is wrong with these plans. If only a setting has changed, nobody knows yet whether anything is.
    private static func lacking(_ plans: [ReadinessReport.Plan]) -> String {
        let isCertain = plans.contains { plan in
            !plan.unready.isEmpty || plan.lacks.contains { if case .askedOtherwise = $0 { false } else { true } }
        }
        return isCertain ? "\(plans.count == 1 ? "is" : "are") missing something" : "may be missing something"
    }

    private static func word(_ isReady: Bool) -> String { isReady ? "Ready" : "Not ready" }

    private func name(_ plan: ReadinessReport.Plan) -> String {
        [TimeText.beginning(of: plan.plan), plan.plan.displayName].compactMap { $0 }.joined(separator: ", ")
    }

    /// The name and the state of a plan, in a sentence.
    private func state(_ plan: ReadinessReport.Plan) -> String {
        if plan.charts.isEmpty, let unread = plan.unread {
            let time = TimeText.beginning(of: plan.plan).map { "for \($0)" } ?? "without a time"
            return "the service lists a plan \(time), \(plan.plan.displayName), that \(Self.unread(unread))."
        }
        guard !plan.charts.isEmpty else {
            return name(plan) + " has no charts" + (plan.lacks.isEmpty ? agePhrase ?? "" : ", which may be wrong") + "."
        }
        return name(plan) + ": " + stateOfCharts(plan)
    }

    private func stateOfCharts(_ plan: ReadinessReport.Plan) -> String {
        let charts = plan.distinctCharts.count.counted("chart")
        if !plan.unready.isEmpty {
            return "\(plan.unready.count) of \(charts) \(plan.unready.count == 1 ? "is" : "are") missing something."
        }
        let here = "\(charts), \(plan.pages.counted("page")), all here" + (report.isThorough ? " and intact" : "")
        for case .marksUnsorted in plan.lacks { return here + ", but there are marks that have not been read yet." }
        for case .marksUnseen in plan.lacks { return here + ", but a folder of your marks cannot be read." }
        for case .marksLeftBehind in plan.lacks { return here + ", but marks were left behind on a chart that it no longer shows." }
        if report.doubt != nil { return here + ", but plans may be missing here." }
        for case .askedOtherwise in plan.lacks {
            return here + ", but \(isOfSets ? "your folders were last read" : "the service was last asked") with other settings."
        }
        if plan.unread != nil { return here + ", but the service could not be asked what is in it now." }
        if !plan.lacks.isEmpty {
            return here
                + ", but \(plan.plan.id.owner == .service ? "the service's latest version of it" : "what \(plan.plan.id.owner.words) has now") is held back."
        }
        return here + (agePhrase ?? "") + "."
    }

    private var agePhrase: String? {
        guard !isYoung else { return nil }
        if report.lastPoll != nil, report.age == nil {
            return ", but the clock is behind the time when \(isOfSets ? "your folders were last read" : "the service was last asked")"
        }
        return ", but " + lastAnswer
    }

    /// How old the information is, in a sentence.
    var asOf: String {
        let time = "As of \(TimeText.minute(report.asOf)); "
        guard let poll = report.lastPoll else { return time + "\(unknownAnswer). Run '\(woodshed("sync"))'." }
        guard let age = report.age else {
            return time
                + "the last \(isOfSets ? "look at your folders" : "full answer") is dated in the future, so a clock was wrong; run '\(woodshed("sync"))'."
        }
        let lacksMarks = report.plans.contains { $0.notes.contains { if case .marksUntold = $0 { true } else { false } } }
        let all = report.isOfPlansAlone ? "about this alone" : lacksMarks ? "in full, except for the marks," : "in full"
        let what = isOfSets ? "your folders were read" : "the service last answered \(all)"
        return time + "\(what) \(age < .seconds(60) ? "just now" : "\(TimeText.span(age)) ago")"
            + (age >= .seconds(86_400) ? " (\(TimeText.minute(poll)))." : ".")
    }

    /// Why polls have failed since the service last answered in full; `nil` if the last one was answered.
    var failingPolls: String? {
        report.failingPolls.map { "Not updated since \(TimeText.minute($0.since)), so there may be newer charts: \($0.reason)" }
    }
}

extension ReadinessVerdict {
    /// Prints the verdict, and what is missing and why.
    func print(on output: Output) {
        let width = output.terminal.width.map { min($0, 100) }
        func say(_ text: String, _ style: Style? = nil) {
            for line in WrappedText.lines(text.printable, width: width) {
                output.result(style.map { output.paint(line, $0, on: .results) } ?? line)
            }
        }
        say(headline, isReady ? .green : .red)
        if let clockDoubt { say(clockDoubt, .yellow) }
        if let unkept = agent.report?.unkept { say(unkept, .yellow) }
        for plan in report.plans { Self.print(plan, isOnly: report.plans.count == 1, width: width, on: output) }
        output.result("")
        if report.plans.contains(where: \.needsWork) || report.doubt?.row.remedy == .work { say(agent.prospect) }
        if case .silent(_, let because?) = agent { say("An agent is running but does not answer: \(because).", .yellow) }
        for file in report.strayMarks { say("Not understood, so nobody knows which chart it is for: \(file.path) \(file.fault)") }
        for sentence in report.unseenMarks { say("Not shown: \(sentence)") }
        for folder in report.otherMarkFolders { say("\(folder.subject) \(folder.message)") }
        say(asOf)
        if let failingPolls { say(failingPolls, .yellow) }
    }

    private static func print(_ plan: ReadinessReport.Plan, isOnly: Bool, width: Int?, on output: Output) {
        let charts = plan.charts.filter { !$0.lacks.isEmpty || !$0.notes.isEmpty }
        let isOdd = !plan.lacks.isEmpty || !plan.notes.isEmpty || !charts.isEmpty
        guard isOdd || !isOnly else { return }
        output.result("")
        if !isOnly { output.result(output.paint(plan.heading.printable, .bold, on: .results) + (plan.isReady ? "  ready" : "")) }
        func list(_ lacks: [ReadinessLack], _ notes: [ReadinessNote], indent: String) {
            for lack in lacks { item(lack.advised, "- ", .red, indent) }
            for note in notes { item(note.advised, "· ", .yellow, indent) }
        }
        func item(_ text: String, _ mark: String, _ style: Style, _ indent: String) {
            let lines = WrappedText.lines(text.printable, width: width, first: indent + mark)
            for line in lines { output.result(output.paint(line, style, on: .results)) }
        }
        // A full disk, or one that is away, is no matter of one chart, and the sentence about it is the same for all.
        list(
            plan.lacks + charts.flatMap(\.lacks).filter(\.isOfRoom).prefix(1),
            plan.notes + charts.flatMap(\.notes).filter(\.isOfLinkFolder).prefix(1), indent: "  ")
        for chart in charts {
            let lacks = chart.lacks.filter { !$0.isOfRoom }
            let notes = chart.notes.filter { !$0.isOfLinkFolder }
            guard !lacks.isEmpty || !notes.isEmpty else { continue }
            output.result("  " + chart.displayName.printable)
            list(lacks, notes, indent: "    ")
        }
    }
}

extension ReadinessReport.Plan {
    /// For example `Sun 22 Nov 10:30 CET  Harvest (plan 678)`.
    var heading: String {
        (TimeText.beginning(of: plan) ?? "no time yet") + "  \(plan.displayName) (plan \(plan.id))" + (isPinned ? ", pinned" : "")
    }

    /// Whether a sync would fix something that the plan lacks.
    var needsWork: Bool { (lacks + charts.flatMap(\.lacks)).contains { $0.row.remedy == .work } }

    /// `true` if fetching the plan's contents failed, and `false` if that has not been tried yet. `nil` if they are here as the
    /// service last had them.
    var unread: Bool? {
        for case .unread(_, let reason) in lacks { return reason != nil }
        return nil
    }
}

extension ReadinessReport.Chart {
    /// The file's name, followed by the item's title unless the name contains it.
    var displayName: String {
        filename.lowercased().contains(item.lowercased()) ? filename : "\(filename) (\(item))"
    }
}
