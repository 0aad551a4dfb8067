@testable import Songs

/// A song in a short form, for comparing: one text for each line, with chords in brackets at their places.
extension Song {
    var shown: [String] {
        sections.flatMap { section in
            (section.heading.map { ["\($0.kind): \($0.name ?? "-")"] } ?? []) + section.lines.map(\.shown)
        }
    }

    /// How often each visible word occurs; `chordWords` counts the texts in chords' places.
    var words: [String: Int] {
        let texts = sections.flatMap { section in
            [section.heading?.name ?? ""]
                + section.lines.map { line in
                    switch line {
                    case .words(let words), .note(let words, _): words.text
                    case .verbatim(let text): text.written
                    default: ""
                    }
                }
        }
        return counted(texts)
    }

    var chordWords: [String: Int] { counted(sections.flatMap(\.lines).flatMap(\.chordTexts).map(\.written)) }
}

/// How many times each word occurs.
func counted(_ texts: [String]) -> [String: Int] {
    texts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.reduce(into: [:]) { $0[String($1), default: 0] += 1 }
}

extension Song.Line {
    var shown: String {
        switch self {
        case .words(let line): line.shown
        case .blank: ""
        case .note(let line, let kind): "\(kind) \(line.shown)"
        case .newColumn(let chartsOnly): chartsOnly ? "column on charts" : "column"
        case .newPage(let chartsOnly): chartsOnly ? "page on charts" : "page"
        case .change(let change): "\(change)"
        case .chorus(let name): "chorus \(name ?? "again")"
        case .detail(let detail): "\(detail.name) = \(detail.value)"
        case .verbatim(let text): "|" + text.written
        case .hidden(let text): "#" + text
        case .directive(let text): text
        }
    }
}

extension WordLine {
    var shown: String {
        let words = Array(text.unicodeScalars)
        return (0...words.count).reduce(into: "") { line, place in
            for style in styles where style.range.upperBound == place { line += "</\(style.style.rawValue)>" }
            for style in styles where style.range.lowerBound == place { line += "<\(style.style.rawValue)>" }
            for chord in chords where chord.place == place { line += "[\(chord.chord.written)]" }
            if place < words.count { line.unicodeScalars.append(words[place]) }
        }
    }
}
