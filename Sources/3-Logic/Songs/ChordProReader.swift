public import Model

extension SongReading {
    /// Reads a ChordPro file, which may contain several songs. `parts` names the players whose own parts are wanted, such as `guitar`.
    /// Throws if the file exceeds `limits`.
    public static func chordPro(
        _ text: String, parts: Set<String> = [], limits: SongLimits = SongLimits()
    ) throws(Trouble) -> [SongReading] {
        let lines = NumberedLine.joined(try SongBuilder.lines(of: text, limits))
        var (songs, first): ([SongReading], Int) = ([], 0)
        for number in lines.indices where ChordProDirective(lines[number].text)?.name == "new_song" {
            // At the top of a file, `new_song` separates nothing.
            let isFirst = songs.isEmpty && lines[first..<number].allSatisfy { $0.text.trimmed().isEmpty || $0.text.first == "#" }
            if !isFirst { songs.append(try ChordProReader.read(lines[first..<number], parts, limits)) }
            first = number + 1
        }
        songs.append(try ChordProReader.read(lines[min(first, lines.count)...], parts, limits))
        return songs
    }
}

/// A line with its number in the file, counted from 1.
private struct NumberedLine {
    var text: ArraySlice<Unicode.Scalar>
    let number: Int

    /// A line that ends with a backslash goes on in the next line, after its leading blanks.
    static func joined(_ lines: [ArraySlice<Unicode.Scalar>]) -> [NumberedLine] {
        var (all, goesOn): ([NumberedLine], Bool) = ([], false)
        for (index, line) in lines.enumerated() {
            let endsOpen = line.last == "\\"
            let text = endsOpen ? line.dropLast() : line
            if goesOn {
                all[all.count - 1].text += text.drop { $0.isBlank }
            } else {
                all.append(NumberedLine(text: text, number: index + 1))
            }
            goesOn = endsOpen
        }
        return all
    }
}

/// Reads one song line by line.
private struct ChordProReader {
    private var builder: SongBuilder
    private var details: [Song.Detail] = []
    private var keyLine = 1
    private let parts: Set<String>
    private let unread: UnreadChords
    /// The part that has begun and not ended yet.
    private var part: (kind: String, line: Int, text: String)?

    static func read(_ lines: ArraySlice<NumberedLine>, _ parts: Set<String>, _ limits: SongLimits) throws(Trouble) -> SongReading {
        let texts = lines.map(\.text)
        let isGerman = texts.contains { ChordProDirective($0)?.written == germanNames } || texts.contains(where: isGermanKey)
        let naming = isGerman ? .german : GermanNames.naming(of: texts, above: true)
        let builder = SongBuilder(naming: naming, limits: limits)
        var reader = ChordProReader(builder: builder, parts: parts, unread: UnreadChords(texts, naming))
        var rest = lines
        while let line = rest.popFirst() {
            if try reader.take(line.text, before: rest.first?.text, at: line.number) { rest.removeFirst() }
        }
        if let part = reader.part { reader.builder.remark(.notEnded, part.text, line: part.line) }
        return reader.builder.reading(details: reader.details, keyLine: reader.keyLine)
    }

    /// The line that declares German names of notes. Without it, they are recognised only by an H.
    static let germanNames = "{x_notes: german}"

    private static func isGermanKey(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let directive = ChordProDirective(line), directive.name == "key" else { return false }
        return directive.value.hasPrefix("H") && Key(directive.value, naming: .german) != nil
    }

    private init(builder: SongBuilder, parts: Set<String>, unread: UnreadChords) {
        (self.builder, self.parts, self.unread) = (builder, parts, unread)
    }

    /// Returns whether the next line was read, too: the words below a line of chords.
    private mutating func take(
        _ line: ArraySlice<Unicode.Scalar>, before next: ArraySlice<Unicode.Scalar>?, at number: Int
    ) throws(Trouble) -> Bool {
        let directive = ChordProDirective(line)
        if let kind = part?.kind, Self.verbatim.contains(kind), directive?.ending != kind {
            // Of all parts that are drawn as written, only a grid has chords that can be transposed.
            if kind == "grid" {
                try builder.add(.verbatim(ChordText(grid: line, builder.naming)), at: number)
            } else {
                let loose = LooseChords(line, builder.naming)
                if loose.certain != nil || loose.isToBeNamed { builder.remark(.maybeChords, line.trimmed().text, line: number) }
                if hasChordsInBrackets(line) { builder.remark(.inTab, line.trimmed().text, line: number) }
                try builder.add(Tablature(line) ?? .string, line, at: number)
            }
        } else if line.first == "#" {
            try builder.add(.hidden(line.dropFirst().text), at: number)
        } else if let directive {
            try take(directive, line, at: number)
        } else {
            return try take(words: line, before: next, at: number)
        }
        return false
    }

    private mutating func take(
        words line: ArraySlice<Unicode.Scalar>, before next: ArraySlice<Unicode.Scalar>?, at number: Int
    ) throws(Trouble) -> Bool {
        if let tablature = Tablature(line) {
            try builder.add(tablature, line, at: number)
            return false
        }
        let naming = builder.naming
        if part == nil, let heading = SectionHeading(inBrackets: line, naming)?.heading {
            if line.last == ")" || line.trimmed().first != "[" { builder.note(layout: 5) }
            builder.begin(heading)
            return false
        }
        if let kind = unread.kind(of: line) {
            let words = next.flatMap { next in
                let isOther = next.first == "#" || ChordProDirective(next) != nil || Tablature(next) != nil
                return isOther ? nil : unread.words(next, naming)
            }
            try builder.add(kind, line, words: words, at: number)
            return words != nil
        }
        var open: Set<WordLine.Style> = []
        let loose = LooseChords(line, naming)
        guard let chords = loose.certain else {
            if !loose.isNone { builder.remark(.maybeChords, line.trimmed().text, line: number) }
            try builder.add(words: InlineReader(line, naming, open: &open).line, at: number)
            return false
        }
        if chords.label.isEmpty, let next, Tablature(next) == .string {
            try builder.add(aboveTab: line, at: number)
            return false
        }
        guard chords.label.isEmpty, let next, isWords(next) else {
            try builder.add(words: chords.line, at: number)
            return false
        }
        try builder.add(words: chords.above(next, InlineReader(next, naming, open: &open)), at: number)
        return true
    }

    /// Whether the line has the words for the chords on the line above.
    private func isWords(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        !line.trimmed().isEmpty && !line.contains("[") && line.first != "#" && ChordProDirective(line) == nil
            && Tablature(line) == nil && unread.kind(of: line) == nil && LooseChords(line, builder.naming, orGerman: false).isNone
    }

    private func hasChordsInBrackets(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard line.contains("["), Tablature(line) == nil else { return false }
        var open: Set<WordLine.Style> = []
        return InlineReader(line, builder.naming, open: &open).line.chords.contains { !$0.chord.chords.isEmpty }
    }

    private static let verbatim: Set<String> = ["tab", "grid", "abc", "ly", "svg", "textblock", "musicxml", "strum"]

    private mutating func take(_ directive: ChordProDirective, _ line: ArraySlice<Unicode.Scalar>, at number: Int) throws(Trouble) {
        let text = line.trimmed().text
        if directive.written == Self.germanNames { return }
        if let ending = directive.ending, ending == builder.kind {
            builder.begin(nil)
            part = nil
        } else if var heading = directive.beginning {
            if let part { builder.remark(.notEnded, part.text, line: part.line) }
            if let selector = directive.selector, !isWanted(selector) {
                builder.remark(.leftOut, text, line: number)
                heading.selector = selector.name + (selector.isNegated ? "!" : "")
            } else if heading.isLeftOut {
                builder.remark(.notDrawn, text, line: number)
            }
            builder.begin(heading)
            let name = Array((heading.name ?? "").unicodeScalars)[...]
            if LooseChords(name, builder.naming).isToBeNamed { builder.remark(.maybeChords, name.text, line: number) }
            part = (heading.kind, number, text)
        } else if let selector = directive.selector, directive.ending == nil, !isWanted(selector) {
            builder.remark(.leftOut, text, line: number)
            try builder.add(.directive(text), at: number)
        } else if let detail = directive.detail {
            if ChordProDirective.unshown.contains(detail.name) { builder.remark(.unknownDirective, text, line: number) }
            try take(detail, at: number)
        } else if let kind = directive.noteKind {
            // The key and the capo depend on who reads the song, so they are put in when it is drawn.
            let value = Array(Song.expanding(directive.value, with: details, except: ["key", "capo"]).unicodeScalars)[...]
            try take(note: value, kind, at: number)
        } else if let line = directive.line {
            if directive.asksForSpelling { builder.remark(.spelling, text, line: number) }
            try builder.add(line, at: number)
        } else {
            let isOurs = directive.ending != nil
            if isOurs || !directive.isPrivate { builder.remark(isOurs ? .notBegun : .unknownDirective, text, line: number) }
            try builder.add(.directive(text), at: number)
        }
    }

    /// A comment that is only the name of a part begins that part, as its writer meant it.
    private mutating func take(note text: ArraySlice<Unicode.Scalar>, _ kind: Song.NoteKind, at number: Int) throws(Trouble) {
        let loose = LooseChords(text, builder.naming)
        let note = WordLine(note: text, loose, builder.naming)
        let isPlain = loose.certain == nil && note.chords.allSatisfy { $0.chord.chords.isEmpty } && !text.contains("%")
        if isPlain, kind != .chartsOnly, let heading = SectionHeading(comment: text)?.heading {
            if part != nil, builder.name(heading) { return }
            // Inside a part that already has a name, the comment stays a comment.
            if part == nil { return builder.begin(heading, isOfTheText: false) }
        }
        builder.remark(note: text, note, loose, at: number)
        try builder.add(.note(note, kind), at: number)
    }

    /// Whether the musician is one of the players that a part is meant for. As in ChordPro, a detail of the song with the selector's name
    /// counts, too.
    private func isWanted(_ selector: ChordProDirective.Selector) -> Bool {
        let hasDetail = details.contains { $0.name == selector.name && !["", "0", "false", "null"].contains($0.value) }
        return (parts.contains(selector.name) || hasDetail) != selector.isNegated
    }

    /// A detail concerns the whole song if it comes before the first words, or if its place makes no difference, as for `artist`. Otherwise
    /// it concerns only the rest of the song.
    private mutating func take(_ detail: Song.Detail, at number: Int) throws(Trouble) {
        if detail.name == "capo", let first = details.first(where: { $0.name == "capo" }), first != detail {
            builder.remark(.anotherCapo, ChordProDirective(detail.name, detail.value).written, line: number)
        }
        guard builder.hasBegun else {
            if detail.name == "key" { keyLine = number }
            return details.append(detail)
        }
        let isFirst = !details.contains { $0.name == detail.name }
        if ChordProDirective.placeless.contains(detail.name) || ["title", "subtitle"].contains(detail.name) && isFirst {
            builder.note(layout: 5)
            return details.append(detail)
        }
        try builder.add(detail.name == "key" ? .change(.key(detail.value)) : .detail(detail), at: number)
    }
}

extension Song {
    fileprivate static var germanNames: String { ChordProReader.germanNames }

    /// The song as a ChordPro text. Reading this text gives the same song.
    public var chordPro: String {
        var lines = naming == .german ? [Self.germanNames] : []
        lines += details.map { ChordProDirective($0.name, $0.value).written }
        for section in sections {
            if let heading = section.heading { lines.append(heading.chordPro) }
            lines += section.lines.map { $0.chordPro(naming) }
            if let heading = section.heading { lines.append("{end_of_\(heading.kind)}") }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension Song.Heading {
    fileprivate var chordPro: String {
        ChordProDirective("start_of_" + kind + (selector.map { "-" + $0 } ?? ""), written ?? name ?? "").written
    }
}

extension Song.Line {
    fileprivate func chordPro(_ naming: Naming) -> String {
        switch self {
        case .words(let line): line.chordProLine(naming)
        case .blank: ""
        case .note(let line, let kind): ChordProDirective(ChordProDirective.name(of: kind), line.chordProValue(naming)).written
        case .newColumn(let chartsOnly): chartsOnly ? "{x_charts_column_break}" : "{column_break}"
        case .newPage(let chartsOnly): chartsOnly ? "{x_charts_new_page}" : "{new_page}"
        case .change(.transpose(let amount)): ChordProDirective("transpose", amount.map { String($0) } ?? "").written
        case .change(.redefine(let amount)): ChordProDirective("x_redefine_key", String(amount)).written
        case .change(.key(let key)): ChordProDirective("key", key).written
        case .chorus(let name): ChordProDirective("chorus", name ?? "").written
        case .detail(let detail): ChordProDirective(detail.name, detail.value).written
        case .verbatim(let text): text.written
        case .hidden(let text): "#" + text
        case .directive(let text): text
        }
    }
}
