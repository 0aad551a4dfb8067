import CommandLine
import Library
import Model
import Platform
import Readiness

/// A message that the musician receives once.
struct Notice: Hashable, Sendable {
    /// The urgency, in the terms of desktop notifications.
    enum Urgency: String {
        case normal, critical
    }

    let title: String
    let text: String
    /// Identifies the notice if its text may vary.
    var subject: String?
    var urgency = Urgency.normal
    /// Whether the log already contains this event in other words.
    var isLogged = false
    /// Whether the text is shown with all its lines, since they are our own. Such a notice stays until the musician closes it.
    var isShownWhole = false

    /// Nobody reads more names at a glance.
    private static let mostNames = 3
    /// Most titles are shorter.
    private static let longestName = 60
}

// MARK: - The notices

extension Notice {
    /// The charts of a plan, or their order, have changed. Nil if the changes cancel out.
    static func setChanged(_ contents: PlanContents, _ changes: [LibraryChange]) -> Notice? {
        let set = SetChange(changes, of: contents)
        let parts = [
            set.added.isEmpty ? nil : "added \(names(set.added.map(\.title)))",
            set.removed.isEmpty ? nil : "taken out \(names(set.removed.map(\.title)))",
            set.moved.isEmpty ? nil : "moved \(names(set.moved))",
        ].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        return Notice(title: "A set has changed", text: "\(name(contents.plan)): \(parts.joined(separator: "; "))", isLogged: true)
    }

    /// Charts on which the musician has marks were replaced. `isMarked` returns whether a chart has such marks. Nil if no such
    /// chart was replaced.
    static func replaced<Failure: Error>(
        in plans: [(contents: PlanContents, changes: [LibraryChange])], isMarked: (AttachmentID) throws(Failure) -> Bool
    ) throws(Failure) -> Notice? {
        var (titles, outdated): ([String], [String]) = ([], [])
        var pageCount = 0
        var seen: Set<AttachmentID> = []
        for (contents, changes) in plans {
            for chart in SetChange(changes, of: contents).replaced where seen.insert(chart.id).inserted {
                guard try isMarked(chart.id) else { continue }
                titles.append(chart.title)
                let pages = changes.compactMap { if case .marksOutdated(chart, let pages) = $0 { pages } else { nil } }.last
                if let pages { outdated.append("\(PageIndex.words(pages)) of \(names([chart.title]))") }
                pageCount += pages?.count ?? 0
            }
        }
        guard !titles.isEmpty else { return nil }
        let pages = outdated.prefix(mostNames).joined(separator: ", ")
        let look = outdated.isEmpty ? "" : "; \(pages) \(pageCount == 1 ? "looks" : "look") different now"
        return Notice(
            title: titles.count == 1 ? "A chart with your marks was replaced" : "Charts with your marks were replaced",
            text: names(titles) + look)
    }

    /// A plan begins soon and is not ready. If the plan lacks nothing, the reason is `age`, the time since the last full answer of the
    /// `source` of all plans; nil if there was none.
    static func unready(_ report: ReadinessReport.Plan, age: Duration? = nil, of source: PlanSource = .service) -> Notice {
        let ofCharts = report.distinctCharts.flatMap { chart in chart.lacks.map { "\(chart.filename): \($0.advised)" } }
        var lacks = report.lacks.map(\.advised) + ofCharts
        if lacks.isEmpty {
            lacks = [TimeText.lastAnswer(age, of: source)]
        }
        let more = lacks.count > 1 ? ", and \(lacks.count - 1) more" : ""
        let time = TimeText.beginning(of: report.plan).map { ", \($0)" } ?? ""
        return Notice(
            title: "The next plan is not ready",
            text: "\(shortened(report.plan.displayName))\(time): \(lacks[0])\(more); '\(woodshed("ready"))' lists what it lacks",
            subject: report.plan.id.text, urgency: .critical)
    }

    /// The service refuses the token. The setbacks contain the poll's own messages.
    static func refused(_ setbacks: [Setback]) -> Notice {
        Notice(
            title: "Your token is refused", text: setbacks.first?.message ?? "the service does not accept your token",
            isLogged: true)
    }

    private static func name(_ plan: Plan) -> String { shortened(LibraryChange.PlanReference(plan).name(in: .local)) }

    private static func names(_ titles: [String]) -> String {
        let named = titles.prefix(mostNames).map { "'\(shortened($0))'" }
        let rest = titles.count - named.count
        if rest > 0 { return named.joined(separator: ", ") + " and \(rest) more" }
        return named.count == 1 ? named[0] : named.dropLast().joined(separator: ", ") + " and " + (named.last ?? "")
    }

    private static func shortened(_ text: String) -> String {
        text.count > longestName ? text.prefix(longestName - 1) + "…" : text
    }
}

/// The total of several changes of a plan: a chart added and then removed makes no difference.
struct SetChange {
    private(set) var added: [LibraryChange.ChartReference] = []
    private(set) var removed: [LibraryChange.ChartReference] = []
    /// Charts with new bytes, or uploaded again under the same name.
    private(set) var replaced: [LibraryChange.ChartReference] = []
    /// The titles of the items that moved.
    private(set) var moved: [String] = []

    /// Adds up the changes that led to these contents, in the order in which they were found.
    init(_ changes: [LibraryChange], of contents: PlanContents) {
        let present = Set(contents.attachments.map(\.id))
        var former: [AttachmentID: Bool] = [:]
        var renewed: Set<AttachmentID> = []
        var charts: [LibraryChange.ChartReference] = []
        var places: [(title: String, from: Int, to: Int, count: Int)] = []
        func note(_ chart: LibraryChange.ChartReference, wasThere: Bool) {
            guard former.updateValue(former[chart.id] ?? wasThere, forKey: chart.id) == nil else { return }
            charts.append(chart)
        }
        for change in changes {
            switch change {
            case .chartAdded(_, let chart): note(chart, wasThere: false)
            case .chartRemoved(_, let chart): note(chart, wasThere: true)
            case .chartReplaced(_, let chart):
                note(chart, wasThere: true)
                renewed.insert(chart.id)
            case .itemMoved(_, let title, let from, let to):
                if let place = places.firstIndex(where: { $0.title == title }) {
                    places[place].to = to
                    places[place].count += 1
                } else {
                    places.append((title, from, to, 1))
                }
            default: break
            }
        }
        for chart in charts {
            switch (former[chart.id] ?? false, present.contains(chart.id)) {
            case (false, true): added.append(chart)
            case (true, false): removed.append(chart)
            case (true, true): if renewed.contains(chart.id) { replaced.append(chart) }
            case (false, false): break
            }
        }
        // A chart that was uploaded again is a new attachment, but to a musician it is the same chart.
        for chart in added {
            guard let place = removed.firstIndex(where: { $0.name == chart.name }) else { continue }
            removed.remove(at: place)
            replaced.append(chart)
        }
        added.removeAll { replaced.contains($0) }
        // A single move counts even if the item's number is the same, since other items may have been added before this one.
        moved = places.filter { $0.from != $0.to || $0.count == 1 }.map(\.title)
    }
}
