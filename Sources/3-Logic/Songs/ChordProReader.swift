public import Model

extension SongReading {
    /// Reads a ChordPro file, which may contain several songs. Throws if it exceeds `limits`.
    public static func chordPro(_ text: String, limits: SongLimits = SongLimits()) throws(Trouble) -> [SongReading] {
        let lines = try SongBuilder.lines(of: text, limits)
        var (songs, first): ([SongReading], Int) = ([], 0)
        for number in lines.indices where ChordProDirective(lines[number])?.name == "new_song" {
            // At the top of a file, `new_song` follows no song, so do not add an empty one.
            let isFirst = songs.isEmpty && lines[first..<number].allSatisfy { $0.trimmed().isEmpty || $0.first == "#" }
            if !isFirst { songs.append(try ChordProReader.read(lines[first..<number], limits)) }
            first = number + 1
        }
        songs.append(try ChordProReader.read(lines[min(first, lines.count)...], limits))
        return songs
    }
}

/// Reads one song line by line.
private struct ChordProReader {
    private var builder: SongBuilder
    private var details: [Song.Detail] = []
    /// The part that has begun and not ended yet.
    private var part: (kind: String, line: Int, text: String)?

    static func read(_ lines: ArraySlice<ArraySlice<Unicode.Scalar>>, _ limits: SongLimits) throws(Trouble) -> SongReading {
        let isGerman = lines.contains { ChordProDirective($0)?.written == germanNames } || lines.contains(where: isGermanKey)
        let naming = isGerman ? .german : GermanNames.naming(of: Array(lines), above: false)
        var reader = ChordProReader(builder: SongBuilder(naming: naming, limits: limits))
        for number in lines.indices { try reader.take(lines[number], at: number + 1) }
        if let part = reader.part { reader.builder.remark(.notEnded, part.text, line: part.line) }
        return reader.builder.reading(details: reader.details)
    }

    /// The line that declares German names of notes. Without it, they are recognised only by an H.
    static let germanNames = "{x_notes: german}"

    private static func isGermanKey(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let directive = ChordProDirective(line), directive.name == "key" else { return false }
        return directive.value.hasPrefix("H") && Key(directive.value, naming: .german) != nil
    }

    private init(builder: SongBuilder) { self.builder = builder }

    private mutating func take(_ line: ArraySlice<Unicode.Scalar>, at number: Int) throws(Trouble) {
        let directive = ChordProDirective(line)
        if let kind = part?.kind, Self.verbatim.contains(kind), directive?.ending != kind {
            // Of all parts that are drawn as written, only a grid has chords that can be transposed.
            let text = kind == "grid" ? ChordText(line, builder.naming) : ChordText(plain: line.text)
            try builder.add(.verbatim(text), at: number)
        } else if line.first == "#" {
            try builder.add(.hidden(line.dropFirst().text), at: number)
        } else if let directive {
            try take(directive, line, at: number)
        } else {
            var open: Set<WordLine.Style> = []
            try builder.add(words: InlineReader(line, builder.naming, open: &open).line, at: number)
        }
    }

    private static let verbatim: Set<String> = ["tab", "grid", "abc", "ly", "svg", "textblock", "musicxml", "strum"]

    private mutating func take(_ directive: ChordProDirective, _ line: ArraySlice<Unicode.Scalar>, at number: Int) throws(Trouble) {
        let text = line.trimmed().text
        if directive.written == Self.germanNames { return }
        if let heading = directive.beginning {
            if let part { builder.remark(.notEnded, part.text, line: part.line) }
            builder.begin(heading)
            part = (heading.kind, number, text)
        } else if let ending = directive.ending, ending == part?.kind {
            builder.begin(nil)
            part = nil
        } else if let detail = directive.detail {
            try take(detail, at: number)
        } else if let kind = directive.noteKind {
            var open: Set<WordLine.Style> = []
            try builder.add(
                .note(InlineReader(Array(directive.value.unicodeScalars)[...], builder.naming, open: &open).line, kind), at: number)
        } else if let line = directive.line {
            if directive.asksForSpelling { builder.remark(.spelling, text, line: number) }
            try builder.add(line, at: number)
        } else {
            let isOurs = directive.ending != nil
            builder.remark(isOurs ? .notBegun : .unknownDirective, text, line: number)
            try builder.add(.directive(text), at: number)
        }
    }

    /// A detail concerns the whole song if it comes before the first words, otherwise only the rest of the song.
    private mutating func take(_ detail: Song.Detail, at number: Int) throws(Trouble) {
        guard builder.hasBegun else { return details.append(detail) }
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
            if let heading = section.heading { lines.append(ChordProDirective("start_of_" + heading.kind, heading.name ?? "").written) }
            lines += section.lines.map(\.chordPro)
            if let heading = section.heading { lines.append("{end_of_\(heading.kind)}") }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension Song.Line {
    fileprivate var chordPro: String {
        switch self {
        case .words(let line): line.chordProLine
        case .blank: ""
        case .note(let line, let kind): ChordProDirective(ChordProDirective.name(of: kind), line.chordProValue).written
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
