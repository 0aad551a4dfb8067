import CommandLine
import Freshness
import Library
import Model
import Platform

/// Everything that `woodshed why` prints about one image of one page.
struct PageStory: Answer {
    /// The state of the image's file.
    enum Condition: Equatable {
        case intact
        case missing
        case damaged
        case unreadable(String)
    }

    let chart: ChartFinder.Candidate
    let path: String
    /// The size of each page; `nil` until the pages are counted.
    let pages: [PageGeometry]?
    /// The requested variant. If the page has no marks, the image may be of another one.
    let variant: Variant
    let inputs: ImageInputs
    /// The layers with marks on the page, including hidden layers.
    let layers: [LayerList.Entry]
    /// The user's mark files that cannot be read, a sentence each.
    let unread: [String]
    /// Marks in the user's files that are not drawn as they were made, a sentence for each kind.
    var leftOut: [String] = []
    /// Changes of the user's mark files since they were read, a sentence each. An image that is drawn after the next reading may
    /// show other marks.
    let news: [String]
    let name: ImageName
    let file: String
    let condition: Condition
    /// What last happened to an image of this page and variant. That image may have been made from other marks or settings than the
    /// one that `name` stands for.
    let record: ImageRecord?
    /// Why the image is missing or unusable; `nil` if it is intact.
    let missReason: MissReason?
    /// The nearest upcoming or pinned plan that needs the image.
    let plan: String?
    /// Whether the plan that shows the image is past or too far ahead. `nil` if no such plan shows it, or `plan` needs it.
    let standing: ImageWorth.Standing?
    /// What prevents the image from being drawn, a sentence each.
    let obstacles: [String]
    /// A sentence on who will draw the image; `nil` unless the image is missing, a plan needs it, and nothing prevents it from being drawn.
    let prospect: String?
    /// The file that the image was written to, if the user asked for one.
    var written: (file: String, size: ByteCount)?

    var showsMarks: Bool { inputs.marks != nil }
    var code: ExitCode { written != nil || condition == .intact ? .fine : .notReady }
}

extension PageStory {
    func print(on output: Output) {
        if let written { output.result("\(written.file): \(written.size)".printable) }
        for line in lines { output.result(line.printable) }
    }

    var lines: [String] {
        let title = chart.title.isEmpty ? "" : " (\(chart.title))"
        var lines = ["\(chart.filename)\(title), \(inputs.page), \(variant.rawValue)"]
        if variant == .annotated, !showsMarks {
            lines.append("No marks are drawn on this page, so it is the same image as the plain page.")
        }
        lines.append("Made from:")
        lines += sources.map { "  " + $0 }
        lines += layerLines
        lines += unread.map { "Not understood: \($0)" }
        lines += leftOut.map { "Not drawn as it was made: \($0)." }
        if !leftOut.isEmpty { lines.append("'\(woodshed("help marks"))' says what can be drawn.") }
        lines += news.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
        lines.append(conditionInWords)
        if let recordInWords { lines.append(recordInWords) }
        lines += obstacles.map { "What stops it: \($0)" }
        lines.append(useSentence)
        if let prospect { lines.append(prospect) }
        lines.append("What would have it drawn again: \(causes.joined(separator: "; ")).")
        return lines
    }

    private var sources: [String] {
        let count = pages.map { ", \($0.count.counted("page"))" } ?? ", with its pages not counted yet"
        var size = "\(inputs.size) pixels on the long side"
        if let pages, pages.indices.contains(inputs.page.value) {
            let pixels = pages[inputs.page.value].pixels(longSide: inputs.size)
            size = "\(pixels.width) by \(pixels.height) pixels"
        }
        if let larger = inputs.scaledFrom { size += ", scaled down from \(larger)" }
        return [
            "chart \(inputs.chart.digest.shortHex)\(count): \(path)", "\(inputs.page), \(size), on paper \(inputs.paper)",
            "renderer \(inputs.tag)", inputs.fonts.map { "the fonts of this machine (\($0))" } ?? "no fonts from this machine",
        ]
    }

    private var layerLines: [String] {
        guard !layers.isEmpty else { return [] }
        let (shown, hidden) = (layers.filter(\.isShown), layers.filter { !$0.isShown })
        var lines: [String] = []
        if !shown.isEmpty { lines += [showsMarks ? "  these marks:" : "Marks on this page, which this image does not show:"] }
        lines += shown.map { "    \($0.words(on: inputs.page))" }
        if !hidden.isEmpty { lines += ["Hidden, so not drawn:"] + hidden.map { "    \($0.words(on: inputs.page))" } }
        if layers.contains(where: { $0.outdated.contains(inputs.page) }) {
            lines.append("If those on an older version are right as they are: \(woodshed("accept \(chart.attachment)"))")
        }
        return lines
    }

    private var conditionInWords: String {
        switch condition {
        case .intact: "It is here and intact: \(file)"
        case .missing: "It is not here: \(missReason?.words ?? "the reason is not known")."
        case .damaged: "It is here, but damaged: \(file)"
        case .unreadable(let reason): "It is here, but cannot be read: \(reason)"
        }
    }

    private var recordInWords: String? {
        guard let record else { return nil }
        let time = TimeWords.local.minute(record.at)
        guard record.name == name else {
            let what = record.event == .made ? "was made" : record.event.words
            return "The last \(name.variant.rawValue) image of this page \(what) on \(time), and not from the same things as this one."
        }
        return record.event == .made ? "It was last made on \(time), \(record.size)." : "It was made, and \(record.event.words) on \(time)."
    }

    private var useSentence: String {
        if let plan { return "It is kept ready for \(plan)." }
        let why =
            switch standing {
            case .far: "Its plan is too far ahead"
            case .past: "Its plan is past"
            default: "No upcoming or pinned plan needs it"
            }
        return why + ", so it is not made automatically" + (written == nil ? "; with -o FILE this command draws it." : ".")
    }

    /// Events that can happen to this image and would cause it to be drawn again.
    var causes: [String] {
        var causes: [String] = []
        if variant == .annotated {
            causes.append(
                showsMarks
                    ? "a change of the marks on this page" : "a first mark on this page, which gives it an annotated image of its own")
            if layers.contains(where: { !$0.isShown }) || showsMarks { causes.append("hiding or showing a layer with marks on it") }
        }
        causes += ["a new version of the chart", "another renderer"]
        if inputs.fonts != nil { causes.append("other fonts on this machine") }
        causes.append("another size or paper in the configuration")
        if condition == .intact { causes.append("its file being removed or damaged while a plan needs it") }
        return causes
    }
}

extension LayerList.Entry {
    /// For example `'Bowings' by Ann: 2 marks, last changed 2026-11-18 20:31`.
    fileprivate func words(on page: PageIndex) -> String {
        let unseen = marksInOtherKeys[page] ?? 0
        return Layer.displayName(name, by: person) + (file.map { " in your file \($0)" + others } ?? "")
            + ": \(seen(on: page).counted("mark"))" + (unseen == 0 ? "" : ", and \(unseen) for other keys")
            + (changedAt.map { ", last changed \(TimeWords.local.minute($0))" } ?? "")
            + (outdated.contains(page) ? ", made on an older version of this chart" : "")
    }

    fileprivate func seen(on page: PageIndex) -> Int { (marks[page] ?? 0) - (marksInOtherKeys[page] ?? 0) }
}

extension MissReason {
    /// The reason, worded to follow a colon.
    fileprivate var words: String {
        switch self {
        case .neverMade: "it was never made in this form"
        case .trimmed: "it was removed to stay within the cache's limits"
        case .cleared: "it was removed at your request"
        case .vanished: "another program removed it"
        case .corrupt: "it was damaged, and removed"
        case .rendererChanged: "the one that was there was drawn by another version of Woodshed, or with other fonts"
        }
    }
}

extension ImageEvent {
    /// The event, worded to follow "it was made, and".
    fileprivate var words: String {
        switch self {
        case .made: "kept"
        case .trimmed: "removed to stay within the cache's limits"
        case .cleared: "removed at your request"
        case .vanished: "removed by another program"
        case .corrupt: "found damaged"
        }
    }
}

extension PageStory {
    /// The JSON of `woodshed why`.
    static let form = JSONForm<PageStory>([
        .init("attachment", "the attachment's id", \.chart.attachment.text),
        .init("filename", "what the service calls the chart", \.chart.filename),
        .init("chart", "SHA-256 of its file", \.inputs.chart.digest.hex), .init("chart_file", "where that is", \.path),
        .init("pages", "how many pages it has") { $0.pages?.count }, .init("page", "the page in question", \.inputs.page),
        .init("variant", "plain, annotated or thumbnail", \.variant.rawValue),
        .init("drawn_as", "the variant whose image is shown for it", \.inputs.variant.rawValue),
        .init("size", "the longer side, in pixels", \.inputs.size),
        .init("scaled_from", "the longer side of the image it is scaled down from", \.inputs.scaledFrom),
        .init("paper", "the paper colour", \.inputs.paper.description), .init("renderer", "what draws it", \.inputs.tag.text),
        .init("fonts", "a digest of the fonts here, if the chart does not embed its own") { $0.inputs.fonts?.digest.hex },
        .init("marks", "a digest of the marks on this page") { $0.inputs.marks?.digest.hex },
        .list("layers", of: layerForm) { story in story.layers.map { ($0, story.inputs.page) } },
        .init("unread", "your mark files for this chart that cannot be read, and why", \.unread),
        .init("not_drawn", "what in your mark files for this chart is not drawn as it was made", \.leftOut),
        .init("news", "what was saved but is not drawn yet", \.news), .init("image", "the file of the image", \.file),
        .init("condition", "whole, missing, damaged or unreadable", \.conditionName),
        .object("last", "what last happened to an image of this page", of: recordForm) { story in story.record.map { ($0, story.name) } },
        .init("missing_because", "why it is missing: \(MissReason.allCases.map(\.rawValue).joined(separator: ", "))") {
            $0.missReason?.rawValue
        },
        .init("in_the_way", "what keeps it from being made", \.obstacles), .init("prospect", "who will make it", \.prospect),
        .init("kept_for", "the plan that needs it", \.plan),
        .init("made_again_by", "what would make it again", \.causes),
        .init("written", "the file that it was written to, if that was asked for") { $0.written?.file },
    ])

    private static let layerForm = JSONForm<(layer: LayerList.Entry, page: PageIndex)>([
        .init("name", "a layer with marks on this page", \.layer.name), .init("person", "whose it is", \.layer.person),
        .init("file", "your file, if it comes from one", \.layer.file),
        .init("parts", "the files of its other parts, where several machines draw on it", \.layer.otherFiles),
        .init("shown", "whether it is drawn", \.layer.isShown),
        .init("marks", "how many marks it has on this page") { $0.layer.seen(on: $0.page) },
        .init("changed_at", "when it was last changed", \.layer.changedAt),
        .init("older", "whether they were made on an older version of the page") { $0.layer.outdated.contains($0.page) },
    ])

    private static let recordForm = JSONForm<(record: ImageRecord, wanted: ImageName)>([
        .init("image", "its name", \.record.name.description),
        .init("same", "whether it is the one wanted now") { $0.record.name == $0.wanted },
        .init("fate", "what happened to it", \.record.event.rawValue), .init("time", "when", \.record.at),
        .init("renderer", "what drew it", \.record.renderer),
    ])

    private var conditionName: String {
        switch condition {
        case .intact: "whole"
        case .missing: "missing"
        case .damaged: "damaged"
        case .unreadable: "unreadable"
        }
    }
}
