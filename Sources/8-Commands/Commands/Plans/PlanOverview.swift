import Agent
import Band
import CommandLine
import Freshness
import Library
import Model
import Platform
import Readiness
import Sets

/// The library's plans, for people and programs.
struct PlanOverview: Answer {
    /// One chart of a plan.
    struct Chart {
        let item: String
        let attachment: Attachment
        let isHere: Bool
        /// Whether the service has a newer version.
        let isOutdated: Bool
        /// `nil` until the pages are counted.
        let pages: Int?
        /// The pages that looked different when their marks were made; marks of hidden layers do not count.
        let outdatedMarks: [PageIndex]
        /// Why the chart cannot be shown although its file is here; `nil` if it can, or the file is not here.
        let unreadable: String?
    }

    /// One plan, with anything unusual about it.
    struct Entry {
        let contents: PlanContents
        let charts: [Chart]
        let isComing: Bool
        /// Whether the plan is kept regardless of its date.
        let isPinned: Bool
        let heldBack: HeldBackPlan?
        /// Since when the service has no longer listed the plan; `nil` if it lists the plan.
        let goneSince: Timestamp?
        /// Set if the service lists the plan, but nothing of the plan is here.
        let unread: UnreadPlan?
        /// What others in the band offer for tonight.
        var offers: [OfferedTonight] = []
    }

    let entries: [Entry]
    /// Whether all plans were requested. If so, every file that is not shown is named; otherwise, files that are not PDFs are only counted.
    let isFull: Bool
    /// When the service last answered in full.
    let lastPoll: Timestamp?
    /// Where all plans come from: `.sets` if no account is configured.
    let source: PlanSource
    /// The sets in the musician's own folders; `nil` if the folders do not answer.
    var sets: [SetsHere]? = []

    /// Reads the upcoming and pinned plans, or all plans.
    @LoopActor
    init(
        _ library: Library, all: Bool, ahead: Duration, now: Timestamp, from source: PlanSource = .service
    ) throws(LibraryError) {
        let held = Dictionary(try library.plans.heldBack().map { ($0.plan.id, $0) }) { first, _ in first }
        let gone = try library.plans.gone()
        let pinned = try library.plans.pinned()
        let outdated = Dictionary(grouping: try library.olderMarks.outdatedMarks(), by: \.attachment)
        let heads = try BandWordStore(in: library).words()
        var entries: [Entry] = []
        let unread = Dictionary(try library.plans.onlyListed().map { ($0.plan.id, $0) }) { first, _ in first }
        for contents in try library.plans.allListed().sorted(by: { $0.plan.comesBefore($1.plan) }) {
            let isComing = contents.plan.isComing(at: now, ahead: ahead)
            let isPinned = pinned.contains(contents.plan.id)
            guard isComing || isPinned || all else { continue }
            var charts: [Chart] = []
            for item in contents.items {
                for attachment in item.attachments {
                    charts.append(try Chart(attachment, of: item.title, outdated: outdated[attachment.id] ?? [], in: library))
                }
            }
            entries.append(
                Entry(
                    contents: contents, charts: charts, isComing: isComing, isPinned: isPinned,
                    heldBack: held[contents.plan.id], goneSince: gone[contents.plan.id], unread: unread[contents.plan.id],
                    offers: try library.offers(of: contents.plan.id, in: heads, at: now)))
        }
        self.entries = entries
        isFull = all
        lastPoll = try library.lastPoll
        self.source = source
    }
}

extension PlanOverview.Chart {
    @LoopActor
    fileprivate init(
        _ attachment: Attachment, of item: String, outdated: [OutdatedMarks], in library: Library
    ) throws(LibraryError) {
        (self.item, self.attachment) = (item, attachment)
        guard let chart = try library.charts.chart(of: attachment.use), try library.charts.hasBytes(of: chart.hash) else {
            (isHere, isOutdated, pages, unreadable, outdatedMarks) = (false, false, nil, nil, [])
            return
        }
        isHere = true
        let hidden = outdated.isEmpty ? [] : try library.drawings.hiddenLayers(of: attachment.id)
        outdatedMarks = Set(outdated.filter { $0.chart == chart.hash && !hidden.contains($0.layer) }.flatMap(\.pages)).sorted()
        isOutdated = chart.version != attachment.version
        pages = try library.charts.description(of: chart.hash)?.pages.count
        unreadable = try library.charts.unreadable(chart.hash)?.reason
    }
}

extension PlanOverview {
    /// Prints a table for each plan, and how old the information is.
    func print(on output: Output) {
        if entries.isEmpty { output.message("There are no upcoming or pinned plans.") }
        // On a narrow terminal, file names tell the charts apart, and items with the same beginning do not.
        let isNarrow = output.terminal.width.map { $0 < Output.leastWide } ?? false
        let waiting = isFull ? [] : entries.filter(\.isOnlyWaiting).dropFirst(Self.mostWaiting).map(\.contents.plan.id)
        for entry in entries where !waiting.contains(entry.contents.plan.id) {
            output.result(output.paint(entry.heading.printable, .bold, on: .results))
            for remark in entry.remarks { output.result("  " + output.paint(remark.printable, .yellow, on: .results)) }
            var table = TextTable(alignments: isNarrow ? [] : [.left, .left, .right, .left])
            for chart in entry.charts {
                let name = chart.attachment.filename
                if isNarrow {
                    table.add([.init("  " + name), chart.state])
                } else {
                    table.add([.init("  " + chart.item), .init(name), .init(chart.pages.map { $0.counted("page") } ?? ""), chart.state])
                }
            }
            let folded = isFull ? [] : entry.contents.leftOut.filter { $0.reason == .notAPDF }
            for file in entry.contents.leftOut where folded.isEmpty || file.reason != .notAPDF {
                var why = TextTable.Cell("not shown: \(file.reason.words)", .faint)
                if case .noChart(let reason) = file.reason { why = .init(reason, .red) }
                if isNarrow {
                    table.add([.init("  " + file.filename, .faint), why])
                } else {
                    // A line of a list that names no chart has no file.
                    table.add([.init("  " + file.item), .init(file.filename == file.item ? "" : file.filename, .faint), "", why])
                }
            }
            table.print(on: output)
            if !folded.isEmpty { output.result("  " + output.paint(Self.notShown(folded).printable, .faint, on: .results)) }
            output.result("")
        }
        if !waiting.isEmpty {
            output.result("\(waiting.count.counted("more plan")) not fetched yet; '\(woodshed("plans --all"))' names each.\n")
        }
        printUnused(on: output)
        output.result(lastPoll.map { "As of \(TimeWords.local.minute($0))." } ?? "\(TimeText.lastAnswer(nil, of: source).asSentence)")
    }

    /// Names what lies in the musician's own folders and is not used.
    private func printUnused(on output: Output) {
        guard let sets else { return output.message("Your folders of sets do not answer, so what is not used in them is not listed.") }
        for here in sets { if let trouble = here.trouble { output.result("\(here.folder) cannot be read: \(trouble)\n".printable) } }
        guard !unused.isEmpty else { return }
        output.result("Not used in your folders:")
        let named = isFull ? unused : Array(unused.prefix(Self.mostUnused))
        for other in named {
            output.result("  " + output.paint("\(other.path): \(other.reason)".printable, .faint, on: .results))
        }
        let more = unused.count - named.count
        output.result(more > 0 ? "  and \(more) more; '\(woodshed("plans --all"))' names each\n" : "")
    }

    /// What is not used, each once even if one of the folders is inside another.
    private var unused: [FoundSets.Other] {
        var seen: Set<FoundSets.Other> = []
        return (sets ?? []).flatMap(\.others).filter { seen.insert($0).inserted }
    }

    /// More are no news to whoever keeps other files in these folders.
    private static let mostUnused = 10

    /// How many plans of which nothing is here yet are named, while a first sync reads hundreds.
    private static let mostWaiting = 5

    /// Counts files by kind instead of naming each. A plan may have a hundred recordings and the like, which would hide its charts
    /// in the table.
    private static func notShown(_ files: [LeftOut]) -> String {
        let kinds = files.reduce(into: [:]) { $0[kind(of: $1.filename), default: 0] += 1 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (files.count == 1 ? "" : "\($0.value) ") + $0.key }.joined(
                separator: ", ")
        let count = files.count == 1 ? "1 file that is not a PDF" : "\(files.count) files that are not PDFs"
        return "not shown: \(count) (\(kinds)); '\(woodshed("plans --all"))' names every file"
    }

    /// The ending of a file's name if that has one to four letters or digits. Otherwise "other", for example for a recording that
    /// is stored elsewhere.
    private static func kind(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "other" }
        let end = name[name.index(after: dot)...]
        return (1...4).contains(end.count) && end.allSatisfy { $0.isLetter || $0.isNumber } ? end.lowercased() : "other"
    }
}

extension PlanOverview.Entry {
    /// Whether nothing is known of the plan but its name, since its turn has not come yet.
    fileprivate var isOnlyWaiting: Bool { charts.isEmpty && unread.map { $0.reason == nil } ?? false }

    fileprivate var heading: String {
        let plan = contents.plan
        let time = plan.mainTime.map(plan.isAllDay ? TimeWords.local.day : TimeWords.local.minute) ?? "no time yet"
        return "\(time)  \(plan.displayName)  (plan \(plan.id))" + (isComing ? "" : ", not upcoming") + (isPinned ? ", pinned" : "")
    }

    /// Anything unusual about the plan, with remedies.
    var remarks: [String] {
        var remarks: [String] = []
        if let heldBack {
            remarks.append("held back: \(ReadinessLack.heldBack(heldBack.reason, plan: contents.plan.id).advised)")
        }
        if let words = contents.tonight?.words { remarks.append("tonight's set, as it is listed here, differs from the plan: \(words)") }
        for title in contents.tonight?.gone ?? [] { remarks.append("'\(title)' was changed for tonight, and is not in the plan any more") }
        for offer in offers {
            let words = [offer.tonight.words, offer.state == .used ? "as it is here" : nil].compactMap(\.self).joined(separator: "; ")
            remarks.append("\(offer.name)'s order for tonight, under 'Tonight' on the plan's page: \(words)")
        }
        if let goneSince {
            let what =
                switch contents.plan.id.owner {
                case .service: "the service has not listed it"
                case .folder: "it has not been in its folder"
                case .band: "it has not been shared in the band"
                }
            remarks.append("\(what) since \(TimeWords.local.minute(goneSince)); it is kept until it is past")
        }
        if let unread {
            remarks.append(
                "not fetched yet\(unread.reason.map { ": \($0)" } ?? ""). '\(woodshed("sync --plan \(unread.plan.id)"))' asks for it alone")
        } else if charts.isEmpty {
            remarks.append("no charts")
        }
        for chart in charts where !chart.outdatedMarks.isEmpty {
            remarks.append(
                "\(chart.attachment.filename): marks made on an older version of this chart on \(PageIndex.words(chart.outdatedMarks)); "
                    + "'\(woodshed("layers \(chart.attachment.id)"))' shows whose, '\(woodshed("accept \(chart.attachment.id)"))' accepts them"
            )
        }
        return remarks
    }
}

extension PlanOverview.Chart {
    fileprivate var state: TextTable.Cell {
        if !isHere { return .init("not here", .red) }
        if let unreadable { return .init("unreadable: \(unreadable)", .red) }
        return isOutdated ? .init("here, but there is a newer one", .yellow) : .init("here", .green)
    }
}

extension PlanOverview {
    /// The JSON of `woodshed plans`.
    static let form = JSONForm<PlanOverview>([
        .list("plans", of: Entry.form) { $0.entries }, .init("as_of", "when the service last answered in full", \.lastPoll),
        .list(
            "not_used", "what lies in folders of sets and is not used",
            of: JSONForm<FoundSets.Other>([.init("path", "where it is", \.path), .init("reason", "why it is not used", \.reason)])
        ) { $0.unused },
    ])
}

extension PlanOverview.Entry {
    fileprivate static let form = JSONForm<Self>([
        .init("id", "the plan's id at the service", \.contents.plan.id.text),
        .init("name", "what it is called", \.contents.plan.displayName),
        .init("service_type", "the kind of service", \.contents.plan.serviceTypeName),
        .init("first_time", "its first time, a rehearsal's perhaps", \.contents.plan.firstTime),
        .init("service_time", "its first service", \.contents.plan.serviceTime),
        .init("last_time", "its last time", \.contents.plan.lastTime),
        .init("coming", "whether it is upcoming, and near enough to be kept ready", \.isComing),
        .init("pinned", "whether it is kept ready in any case", \.isPinned),
        .object(
            "held_back", "what the service says about it that is not accepted yet",
            of: JSONForm<HeldBackPlan>([
                .init("charts_kept", "how many charts it has here", \.chartsKept),
                .init("charts_told", "how many the service lists", \.chartsSent), .init("since", "since when", \.since),
                .init("message", "why it is not accepted") { $0.reason.sentence(in: .local, of: $0.plan.id.source) },
            ])
        ) { $0.heldBack },
        .init("gone_since", "since when the service does not list it", \.goneSince),
        .init("tonight", "how tonight's set, whose charts these are, differs from the plan", \.contents.tonight?.words),
        .list(
            "offers", "what others in the band offer for tonight",
            of: JSONForm<OfferedTonight>([
                .init("name", "who offers it", \.name), .init("differs", "how it differs from the plan", \.tonight.words),
                .init("lacks", "the titles of what is not here as it is offered", \.lacks),
                .init("state", "new; or used, if it is tonight's set here; or changed, if that was so", \.state.rawValue),
            ])
        ) { $0.offers },
        .init("unread_since", "since when the service lists it, if nothing of it is here", \.unread?.since),
        .init("unread_reason", "why nothing of it is here, where that is known", \.unread?.reason),
        .list("charts", of: PlanOverview.Chart.form) { $0.charts },
        .list(
            "left_out",
            of: JSONForm<LeftOut>([
                .init("id", "an attachment that is not shown", \.attachment.text),
                .init("filename", "what the service calls it", \.filename), .init("item", "what it is attached to", \.item),
                .init("reason", "why it is not shown", \.reason.words),
            ])
        ) { $0.contents.leftOut },
    ])
}

extension PlanOverview.Chart {
    fileprivate static let form = JSONForm<Self>([
        .init("id", "the attachment's id", \.attachment.id.text),
        .init("filename", "what the service calls it", \.attachment.filename),
        .init("item", "the item that is played from it", \.item), .init("here", "whether its file is here", \.isHere),
        .init("outdated", "whether the service has a newer one", \.isOutdated), .init("pages", "how many pages it has", \.pages),
        .init("older_marks", "pages with marks that were made on an older version", \.outdatedMarks),
        .init("unreadable", "why its pages cannot be drawn", \.unreadable),
    ])
}
