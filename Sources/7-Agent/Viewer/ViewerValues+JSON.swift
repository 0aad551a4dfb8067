import Band
import JSON
import LayerJoin
import Model
import Platform
import Readiness

extension JSONText {
    static func pages(_ pages: [PageIndex]) -> JSONText { .list(pages.map { .integer($0.value) }) }
}

extension ViewerState {
    /// Also lists the browsers that the requesting browser may sign out.
    func json(browsers: [ViewerBrowser]) -> JSONText {
        var members: [(name: String, value: JSONText)] = [("version", .integer(1)), ("now", .time(now))]
        members += status.members
        members.append((name: "plans", value: .list(plans.map(\.json))))
        if keepsLists { members.append((name: "sets", value: .boolean(true))) }
        if !browsers.isEmpty { members.append((name: "browsers", value: .list(browsers.map(\.json)))) }
        return .object(members)
    }
}

extension ViewerStatus {
    fileprivate var members: [(name: String, value: JSONText)] {
        [
            ("lastPoll", .time(lastPoll)), ("offlineSince", .time(offlineSince)),
            ("failingPolls", failingPolls.map { ["since": .time($0.since), "message": .text($0.brief ?? $0.reason)] } ?? .null),
            ("paused", .boolean(isPaused)), ("ownSets", .boolean(source == .sets)),
        ]
    }
}

extension ViewerPlan {
    /// The most changes that are listed: more than anybody reads.
    private static let mostChanges = 30

    /// The plan as the list of plans shows it.
    public var listed: String { json.line }

    /// The text of the plan's own page: all but its images, with the running order.
    public var worded: String {
        JSONText.list(
            [json, items { $0.described($1) }] + (outlook.contents.tonight.map { [$0.json] } ?? []) + (band.map { [$0.json] } ?? [])
                + (offers ?? []).map(\.json)
        ).line
    }

    var json: JSONText {
        let report = outlook.report
        let plan = report.plan
        let ready = outlook.pagesReady
        let absent = report.charts.filter { $0.lacks.first?.isOfAbsentFile == true }
        // Leave out the note that there are no charts: their number shows this.
        let flags =
            report.lacks.map(\.flag) + report.notes.filter { $0 != .noCharts && !$0.isTonight }.map(\.flag)
            + absent.flatMap { chart in chart.lacks.map { $0.flag(of: chart.filename) } }
        return [
            "id": .text(plan.id.text), "title": .text(plan.displayName), "serviceType": .text(plan.serviceTypeName),
            "dates": .text(plan.dates), "firstTime": .time(plan.mainTime), "allDay": .boolean(plan.isAllDay),
            "ready": report.isReady ? "ready" : ready == 0 ? "missing" : "partly", "pages": .integer(outlook.pages),
            "pagesReady": .integer(ready), "charts": .integer(outlook.charts.count),
            "chartsReady": .integer(outlook.charts.values.count { $0.report.isReady }), "changes": .texts(sentences),
            "flags": .list(flags),
            "pinned": .boolean(report.isPinned), "doubts": held == nil ? report.doubts?.json ?? .null : .null,
        ]
    }

    /// The plan with its running order, and with the contents that are held back.
    var contents: JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("plan", json), ("items", items { $0.members($1) }),
            ("held", held?.json(insteadOf: outlook.contents.asPlanned) ?? .null),
        ]
        if isList { members.append((name: "list", value: .boolean(true))) }
        if let band { members.append((name: "band", value: band.json)) }
        if let tonight = outlook.contents.tonight { members.append((name: "tonight", value: tonight.json)) }
        if let offers { members.append((name: "offers", value: .list(offers.map(\.json)))) }
        return .object(members)
    }

    /// The running order, with what differs tonight, and with these `members` of each chart.
    private func items(_ members: (Attachment, ChartOutlook) -> [(name: String, value: JSONText)]) -> JSONText {
        let rows = outlook.contents.tonight?.played ?? []
        return .list(
            outlook.contents.items.enumerated().map { place, item in
                .object(item.members(in: outlook, members) + (rows.indices.contains(place) ? rows[place].members : []))
            })
    }

    /// The changes as sentences. A change that happened several times is listed once, at its last place.
    private var sentences: [String] {
        var seen: Set<String> = []
        let sentences = changes.reversed().map(\.asSentence).filter { seen.insert($0).inserted }
        return sentences.prefix(Self.mostChanges).reversed()
    }
}

extension HeldBackPlan {
    /// The held-back version, with the charts in which it differs from the kept plan.
    fileprivate func json(insteadOf kept: PlanContents) -> JSONText {
        func names(_ charts: [Attachment], notIn others: [Attachment]) -> JSONText {
            let known = Set(others.map(\.use))
            return .texts(charts.filter { !known.contains($0.use) }.map(\.displayName))
        }
        return [
            "of": .text(tag), "owner": .text(plan.id.owner.words), "charts": .integer(chartsSent),
            "chartsKept": .integer(chartsKept),
            "gone": names(kept.attachments, notIn: sent.attachments), "new": names(sent.attachments, notIn: kept.attachments),
            "items": .list(
                sent.items.map { ["title": .text($0.title), "charts": .texts($0.attachments.map(\.displayName))] }),
        ]
    }
}

extension PlanItem {
    /// The item, with these `members` of each chart.
    fileprivate func members(
        in plan: PlanOutlook, _ members: (Attachment, ChartOutlook) -> [(name: String, value: JSONText)]
    ) -> [(name: String, value: JSONText)] {
        let kind = kind.flatMap { ["song", "header", "media"].contains($0) ? $0 : nil } ?? "item"
        let notes = (description ?? "").split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        let drawn = song.flatMap { song in attachments.first { $0.id == AttachmentID(drawnFrom: song.id) } }
        let begins: [(name: String, value: JSONText)] = start.map { [("start", .integer($0.value))] } ?? []
        return begins + [
            ("id", .text(id.text)), ("title", .text(title)), ("kind", .text(kind)), ("key", .maybe(key)),
            ("arrangement", .maybe(arrangement)),
            ("tempo", tempo.map(JSONText.integer) ?? .null), ("notes", .texts(notes)), ("length", length.map(JSONText.integer) ?? .null),
            ("song", .boolean(song != nil)), ("view", drawn?.origin?.view.json ?? .null),
            (
                "charts",
                .list(attachments.compactMap { attachment in plan.charts[attachment.use].map { .object(members(attachment, $0)) } })
            ),
        ]
    }

    fileprivate var key: String? { keyName.isEmpty ? nil : keyName }
}

extension Attachment {
    fileprivate func members(_ outlook: ChartOutlook) -> [(name: String, value: JSONText)] {
        described(outlook) + [("order", .pages(outlook.order)), ("thumbnails", .list(outlook.pages.map(\.thumbnail.json)))]
    }

    /// The chart's texts, without its pages.
    fileprivate func described(_ outlook: ChartOutlook) -> [(name: String, value: JSONText)] {
        let report = outlook.report
        return [
            ("id", .text(id.text)), ("name", .text(displayName)), ("pages", report.pages.map(JSONText.integer) ?? .null),
            ("state", .text(report.state)), ("reason", .maybe(report.lacks.first?.sentence.asSentence)),
            ("advice", .maybe(report.lacks.first?.advice?.asSentence)), ("flags", report.flags),
            ("older", report.older), ("doubts", report.doubts?.json ?? .null),
        ]
    }
}

extension ReadinessRemark {
    fileprivate var flag: JSONText { flag(of: nil) }

    /// The sentence for the musician, and separately the advice for the laptop's owner, which may be a command.
    fileprivate func flag(of name: String?) -> JSONText {
        let words = [name, sentence].compactMap(\.self).joined(separator: ": ")
        return ["words": .text(words.asSentence), "advice": .maybe(advice?.asSentence)]
    }
}

extension ReadinessReport.Chart {
    /// How much of the chart can be played.
    fileprivate var state: String {
        if isReady { return "ready" }
        if lacks.contains(where: { if case .cannotBeOpened = $0 { true } else { false } }) { return "unreadable" }
        return present > 0 ? "partly" : "missing"
    }

    /// The chart's notes without the one about marks of another version, for which the viewer has its own sentence, with buttons.
    fileprivate var flags: JSONText { .list(notes.filter { !$0.isOlderMarks }.map(\.flag)) }

    /// The pages with marks that were made on another version of the chart, and the hash of the present version.
    fileprivate var older: JSONText {
        guard let hash, let pages = notes.first(where: \.isOlderMarks)?.pages else { return .null }
        return ["of": .text(hash.description), "pages": .pages(pages)]
    }
}

extension ChartOutlook.Image {
    /// The address of the image's bytes; it contains the key, so it stays valid for ever.
    var address: String { name.address }

    /// Boxes hold the ink of the page as it lies and, if it is to be turned, of the upright page: browsers show either.
    var json: JSONText {
        let slant = ink?.music?.slant ?? 0
        func box(_ box: InkBox) -> JSONText { box.upright(by: slant, width: width, height: height).json }
        return .object(
            [
                ("src", .text(address)), ("width", .integer(width)), ("height", .integer(height)), ("here", .boolean(isHere)),
                ("ink", ink.map { box($0.all) } ?? .null), ("marks", ink.map { box($0.marks) } ?? .null),
                ("older", .maybe(former?.address)),
            ] + (name.variant == .plain ? [("bands", ink?.music?.json ?? .null), ("slant", .integer(slant))] : []))
    }
}

extension ImageName {
    fileprivate var address: String { "/pages/\(self)" }
}

extension InkBox {
    fileprivate var json: JSONText { .list([left, top, right, bottom].map { .integer(Int($0)) }) }
}

extension PageMusic {
    /// Three numbers for each band: its first and last height, and its kind.
    fileprivate var json: JSONText {
        .list(bands.flatMap { [.integer(Int($0.from)), .integer(Int($0.to)), .integer(Int($0.kind.rawValue))] })
    }
}

extension ViewerChart {
    /// A tag that changes with everything shown of the chart. It does not depend on which images are ready, on the stored states of
    /// the musician's own marks (`ink`), or on the neighbours, which belong to the plan.
    public var set: String {
        var still = self
        still.pages = pages.map { page in
            var page = page
            for image in [\ChartOutlook.Page.plain, \.annotated, \.thumbnail] { page[keyPath: image] = page[keyPath: image].asNamed }
            return page
        }
        return SHA256.digest(of: JSONText.object(still.described).bytes(forBrowsers: true)).shortHex
    }

    var json: JSONText {
        .object(
            [("set", .text(set)), ("ink", ink.json)] + described + [("next", next?.json ?? .null), ("previous", previous?.json ?? .null)])
    }

    private var described: [(name: String, value: JSONText)] {
        [
            ("id", .text(id.text)), ("name", .text(attachment.displayName)), ("title", .text(item.title)), ("key", .maybe(item.key)),
            ("hash", .text(hash.description)), ("layers", .list(layers.map(\.json))), ("pages", .list(pages.map(\.json))),
            ("order", .pages(outlook.order)), ("flags", outlook.report.flags),
        ] + (isShared.map { [("shared", .boolean($0))] } ?? []) + (chords.map { [("chords", .texts(ChordKey.names(of: $0)))] } ?? [])
            + (inKeys.map { [("inKeys", .text($0))] } ?? []) + (song.map { [("song", $0.json)] } ?? []) + places.members
            + (moved.map { [("followed", $0.json)] } ?? [])
    }
}

extension ViewerOtherChart {
    var json: JSONText {
        [
            "id": .text(attachment.id.text), "name": .text(attachment.displayName), "title": .text(item.title), "key": .maybe(item.key),
            "dates": .text(plan.dates), "firstTime": .time(plan.mainTime),
        ]
    }
}

extension ViewerChart.Neighbour {
    fileprivate var json: JSONText { ["chart": .text(chart.text), "item": .text(item.text), "title": .text(title)] }
}

extension ViewerLayer {
    fileprivate var json: JSONText {
        .object(
            [
                ("id", .text(id.text)), ("name", .text(name)), ("person", .maybe(person)), ("visible", .boolean(isVisible)),
                ("pages", .pages(pages)), ("older", .pages(olderPages)),
            ] + (shared.map { [("device", .text($0.device)), ("marks", .integer($0.marks))] } ?? []))
    }
}

extension ChartOutlook.Page {
    fileprivate var json: JSONText {
        [
            "index": .integer(index.value), "width": .number(geometry.width), "height": .number(geometry.height),
            "marked": .boolean(isMarked), "plain": plain.json, "annotated": annotated.json, "thumbnail": thumbnail.json,
        ]
    }
}

extension ViewerNews {
    /// The event in the form for browsers.
    var event: [UInt8] {
        let (name, data): (String, JSONText) =
            switch self {
            case .page(let chart, let page):
                (
                    "page",
                    [
                        "chart": .text(chart.text), "page": .integer(page.index.value), "annotated": page.annotated.json,
                        "marked": .boolean(page.isMarked),
                    ]
                )
            case .ink(let chart, let states, let images):
                ("ink", ["chart": .text(chart.text), "ink": states.json, "images": .texts(images.map(\.address))])
            case .chart(let chart, let set): ("chart", ["chart": .text(chart.text), "set": .text(set)])
            case .plans: ("plans", .object([]))
            case .status(let status): ("status", .object(status.members))
            case .together(let state, let silence):
                ("together", ["state": state.json, "silence": .integer(Int(silence.wholeNanoseconds / 1_000_000))])
            }
        return Array("event: \(name)\ndata: ".utf8) + data.bytes(forBrowsers: true) + Array("\n\n".utf8)
    }
}
