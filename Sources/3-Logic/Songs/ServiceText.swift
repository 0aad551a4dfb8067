public import Model

extension SongReading {
    /// Reads words and chords in the service's format.
    ///
    /// The service stores the title and the key separately. `key` is the key that the chords are written in.
    public init(service text: String, title: String? = nil, key: String? = nil, limits: SongLimits = SongLimits()) throws(Trouble) {
        let lines = try SongBuilder.lines(of: text, limits)
        let naming = GermanNames.naming(of: lines, above: true)
        // In the service's own fields, keys have English names, whichever names the text uses.
        let key = key.map { Key($0)?.name(in: naming) ?? $0 }
        let details = [("title", title), ("key", key)].compactMap { name, value in
            value.map { $0.songLines().map { $0.trimmed().text }.joined(separator: " ") }.flatMap {
                $0.isEmpty ? nil : Song.Detail(name, $0)
            }
        }
        var text = ServiceText(lines: lines, naming: naming, limits: limits)
        self = try text.read(details)
    }
}

/// Reads the service's format. It resembles ChordPro, with these differences: parts have headings in capitals, chords may be on a
/// line above the words, and braces contain notes.
private struct ServiceText {
    private let lines: [ArraySlice<Unicode.Scalar>]
    private let naming: Naming
    private let unread: UnreadChords
    private var builder: SongBuilder
    /// The styles whose tags are still open.
    private var open: Set<WordLine.Style> = []

    init(lines: [ArraySlice<Unicode.Scalar>], naming: Naming, limits: SongLimits) {
        (self.lines, self.naming) = (lines, naming)
        unread = UnreadChords(lines, naming)
        builder = SongBuilder(naming: naming, limits: limits)
    }

    mutating func read(_ own: [Song.Detail]) throws(Trouble) -> SongReading {
        let naming = naming
        var (number, details) = (0, own)
        // Plain files begin with details for which the service has fields of its own; the fields come first. If the keys differ, both stay
        // visible.
        let key = own.first { $0.name == "key" }.flatMap { Key($0.value, naming: naming) }
        let header = TextHeader(lines, isKeyKnown: key != nil)
        let stated = header.details.first { $0.name == "key" }
        func isOwnKey(_ detail: Song.Detail) -> Bool { key != nil && detail.name == "key" && Key(detail.value, naming: naming) == key }
        let isHeader = !header.lines.isEmpty && (key == nil || stated.map(isOwnKey) ?? true)
        if isHeader {
            details += header.details.filter { !own.contains($0) && !isOwnKey($0) }
            builder.note(layout: header.isNew ? 5 : 2)
        }
        while number < lines.count {
            guard !isHeader || !header.lines.contains(number) else {
                number += 1
                continue
            }
            let line = TextHeader.withoutBrackets(lines[number], naming)
            if line != lines[number] { builder.note(layout: line.last == ")" || lines[number].trimmed().first != "[" ? 5 : 2) }
            number += 1
            let loose = LooseChords(line, naming)
            if let code = code(line, at: number) {
                try builder.add(code, at: number)
            } else if let tablature = Tablature(line) {
                builder.note(layout: 2)
                try builder.add(tablature, line, at: number)
            } else if let kind = unread.kind(of: line) {
                let words = number < lines.count ? unreadWords(lines[number]) : nil
                try builder.add(kind, line, words: words, at: number)
                if words != nil { number += 1 }
            } else if let chords = loose.certain, !chords.label.isEmpty {
                builder.note(layout: 2)
                if let heading = chords.heading {
                    builder.begin(heading)
                    open = []
                }
                try builder.add(words: chords.heading == nil ? chords.line : chords.alone, at: number)
            } else if let heading = SectionHeading(line) {
                if loose.isToBeNamed { builder.remark(.maybeChords, line.trimmed().text, line: number) }
                builder.begin(heading.heading)
                open = []
            } else if let chords = loose.whole {
                if chords.isOfNumbers { builder.note(layout: 2) }
                if number < lines.count, Tablature(lines[number]) == .string {
                    try builder.add(aboveTab: line, at: number)
                    continue
                }
                guard number < lines.count, isWords(lines[number]) else {
                    try builder.add(words: chords.alone, at: number)
                    continue
                }
                let words = InlineReader(lines[number], naming, open: &open)
                try builder.add(words: chords.above(lines[number], words), at: number)
                number += 1
            } else {
                if loose.isToBeNamed { builder.remark(.maybeChords, line.trimmed().text, line: number) }
                // A line without words and chords, such as a single tag, becomes an empty line.
                try builder.add(words: InlineReader(line, naming, open: &open).line, at: number)
            }
        }
        return builder.reading(details: details)
    }

    /// Whether the line has the words for the chords on the line above.
    private func isWords(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        !line.trimmed().isEmpty && !line.contains("[") && ServiceCode(line) == nil && SectionHeading(line) == nil
            && Tablature(line) == nil && unread.kind(of: line) == nil && LooseChords(line, naming, orGerman: false).isNone
    }

    /// The words below a line of chords that are shown but not read; `nil` if the line is something else.
    private func unreadWords(_ line: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar>? {
        ServiceCode(line) == nil && SectionHeading(line) == nil && Tablature(line) == nil ? unread.words(line, naming) : nil
    }

    private mutating func note(_ text: ArraySlice<Unicode.Scalar>, _ kind: Song.NoteKind, at number: Int) -> Song.Line {
        let loose = LooseChords(text, naming)
        let line = WordLine(note: text, loose, naming)
        if !line.chords.isEmpty, !text.contains("[") { builder.note(layout: 2) }
        builder.remark(note: text, line, loose, at: number)
        return .note(line, kind)
    }

    private mutating func code(_ line: ArraySlice<Unicode.Scalar>, at number: Int) -> Song.Line? {
        switch ServiceCode(line) {
        case .newColumn(let chartsOnly): return .newColumn(chartsOnly: chartsOnly)
        case .newPage(let chartsOnly): return .newPage(chartsOnly: chartsOnly)
        case .note(let text, let kind): return note(text, kind, at: number)
        case .change(let change): return .change(change)
        case .mistake(let reason):
            builder.remark(reason, line.trimmed().text, line: number)
            var none: Set<WordLine.Style> = []
            return .note(InlineReader(line.trimmed(), naming, open: &none).line, .italic)
        case nil: return nil
        }
    }
}

/// A line that is neither words nor chords.
private enum ServiceCode {
    case newColumn(chartsOnly: Bool)
    case newPage(chartsOnly: Bool)
    case note(ArraySlice<Unicode.Scalar>, Song.NoteKind)
    case change(Song.KeyChange)
    /// The line resembles a code. It is shown as written, as a note that is not sung.
    case mistake(SongRemark.Reason)

    init?(_ raw: ArraySlice<Unicode.Scalar>) {
        guard let first = raw.first(where: { !$0.isBlank }), "{CcPpTtRr".unicodeScalars.contains(first) else { return nil }
        let line = raw.trimmed()
        if first == "{" {
            guard line.last == "}", line.count >= 2 else { return nil }
            let inner = line.dropFirst().dropLast()
            guard inner.first == "{", inner.last == "}", inner.count >= 2 else {
                self = .note(inner.trimmed(), .plain)
                return
            }
            let note = inner.dropFirst().dropLast().trimmed()
            self = Self.break(note, chartsOnly: true) ?? .note(note, .chartsOnly)
            return
        }
        guard line.count <= 60, let code = Self.break(line, chartsOnly: false) ?? Self.change(line) else { return nil }
        self = code
    }

    private static func `break`(_ text: ArraySlice<Unicode.Scalar>, chartsOnly: Bool) -> ServiceCode? {
        if text.isFolded("column_break") { return .newColumn(chartsOnly: chartsOnly) }
        return text.isFolded("page_break") ? .newPage(chartsOnly: chartsOnly) : nil
    }

    /// Reads `TRANSPOSE KEY +2` and `REDEFINE KEY -1`. Without KEY, the service ignores such a line.
    private static func change(_ text: ArraySlice<Unicode.Scalar>) -> ServiceCode? {
        let words = text.split(whereSeparator: \.isBlank)
        guard let first = words.first, first.isFolded("transpose") || first.isFolded("redefine") else { return nil }
        let hasKey = words.dropFirst().first?.isFolded("key") == true
        let number = words.dropFirst(hasKey ? 2 : 1).joined()
        let amount = number.count <= 4 ? Int(number.map { Character($0) }.reduce(into: "") { $0.append($1) }) : nil
        guard hasKey else { return amount == nil ? nil : .mistake(.noKeyWord) }
        guard let amount, amount.magnitude < 100 else { return .mistake(.noNumber) }
        return .change(first.isFolded("transpose") ? .transpose(amount) : .redefine(amount))
    }
}
