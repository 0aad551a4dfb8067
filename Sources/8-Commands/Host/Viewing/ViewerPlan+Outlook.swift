import Agent
import Library
import Model
import Readiness
import Viewer

extension ViewerPlan {
    /// More changes than anybody reads.
    private static let mostChanges = 30

    /// What the list shows about a plan.
    init(_ outlook: PlanOutlook, changes: [LibraryChange]) {
        let report = outlook.report
        let (pages, ready) = (outlook.pages, outlook.pagesReady)
        let forbidden = report.charts.filter { $0.lacks == [.noPermission] }
        self.init(
            plan: report.plan, readiness: report.isReady ? .ready : ready == 0 ? .missing : .partly, pages: pages, pagesReady: ready,
            charts: outlook.charts.count, chartsReady: outlook.charts.values.count { $0.report.isReady }, changes: Self.sentences(changes),
            // The number of charts already says that there are none.
            flags: report.lacks.map(\.advice) + report.notes.filter { $0 != .noCharts }.map(\.sentence.asSentence)
                + forbidden.map { "\($0.filename): \(ReadinessLack.noPermission.sentence)".asSentence },
            isPinned: report.isPinned)
    }

    /// A change that happened several times is listed once, where it happened last.
    private static func sentences(_ changes: [LibraryChange]) -> [String] {
        var seen: Set<String> = []
        let sentences = changes.reversed().map(\.localSentence.asSentence).filter { seen.insert($0).inserted }
        return sentences.prefix(mostChanges).reversed()
    }
}

extension ViewerItem {
    private static let kinds: Set<String> = ["song", "header", "media"]

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// An entry of a plan's running order.
    init(_ item: PlanItem, _ plan: PlanOutlook) {
        self.init(
            id: item.id, title: item.title, kind: Self.kinds.contains(item.kind ?? "") ? item.kind ?? "" : "item",
            key: item.keyName.isEmpty ? nil : item.keyName, arrangement: item.arrangement, notes: Self.lines(item.description ?? ""),
            length: item.length,
            charts: item.attachments.compactMap { attachment in
                plan.charts[attachment.use].map { ViewerItemChart(attachment, $0) }
            })
    }
}

extension ViewerItemChart {
    init(_ attachment: Attachment, _ outlook: ChartOutlook) {
        let report = outlook.report
        self.init(
            id: attachment.id, name: attachment.displayName, pages: report.pages, readiness: report.readiness,
            reason: report.lacks.first?.advice, flags: report.notes.map(\.sentence.asSentence), order: outlook.order,
            thumbnails: outlook.pages.map { ViewerImage($0.thumbnail) })
    }
}

extension ViewerImage {
    init(_ image: ChartOutlook.Image) {
        self.init(name: image.name, width: image.width, height: image.height, isHere: image.isHere, ink: image.ink, older: image.former)
    }
}

extension ReadinessReport.Chart {
    /// How much of it can be played from.
    fileprivate var readiness: ViewerReadiness {
        if isReady { return .ready }
        if lacks.contains(where: { if case .cannotBeOpened = $0 { true } else { false } }) { return .unreadable }
        return present > 0 ? .partly : .missing
    }
}

extension ReadinessLack {
    /// What is wrong, and what fixes it.
    package var advice: String {
        guard case .advice(let advice) = remedy else { return sentence.asSentence }
        return "\(sentence); \(advice)".asSentence
    }
}

extension String {
    /// With a capital and a full stop.
    package var asSentence: String {
        guard let first, first.isLetter else { return self + "." }
        return first.uppercased() + dropFirst() + "."
    }
}
