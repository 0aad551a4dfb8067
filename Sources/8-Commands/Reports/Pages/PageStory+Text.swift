import CommandLine
import Library
import Model

extension PageStory {
    /// For people.
    package var lines: [String] {
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
        lines.append("What would redraw it: \(causes.joined(separator: "; ")).")
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
        lines += shown.map { "    \($0.words)" }
        if !hidden.isEmpty { lines += ["Hidden, so not drawn:"] + hidden.map { "    \($0.words)" } }
        if layers.contains(where: \.isOutdated) {
            lines.append("If those on an older version are right as they are: \(woodshed("accept \(chart.attachment)"))")
        }
        return lines
    }

    private var conditionInWords: String {
        switch condition {
        case .intact: "It is in the cache and intact: \(file)"
        case .missing: "It is not in the cache: \(missReason?.words ?? "the reason is not known")."
        case .damaged: "It is in the cache, but damaged: \(file)"
        case .unreadable(let reason): "It is in the cache, but cannot be read: \(reason)"
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
        switch use {
        case .plan: "It is kept ready for \(useInWords)."
        case .far: "Its plan is too far ahead for it to be made automatically; '\(woodshed("page"))' draws it."
        case .past: "Its plan is past, so it is not made automatically; '\(woodshed("page"))' draws it."
        case .none: "No upcoming or pinned plan needs it, so it is not made automatically; '\(woodshed("page"))' draws it."
        }
    }

    /// What would make it be drawn again; only what can actually happen.
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

extension PageStory.Entry {
    /// For example `'Bowings' by Ann: 2 marks, last changed 2026-11-18 20:31`.
    fileprivate var words: String {
        Layer.displayName(name, by: person) + (file.map { " in your file \($0)" } ?? "") + ": \(marks.counted("mark"))"
            + (changedAt.map { ", last changed \(TimeWords.local.minute($0))" } ?? "")
            + (isOutdated ? ", made on an older version of this chart" : "")
    }
}

extension MissReason {
    /// To be read after a colon.
    fileprivate var words: String {
        switch self {
        case .neverMade: "it was never made in this form"
        case .trimmed: "it was removed to stay within the cache's limits"
        case .cleared: "it was removed at your request"
        case .vanished: "another program removed it"
        case .corrupt: "it was damaged, and removed"
        case .rendererChanged: "the one that was there was drawn by another renderer or with other fonts"
        }
    }
}

extension ImageEvent {
    /// To be read after "it was made, and".
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
