/// A directive: a line in braces, as in ChordPro.
struct ChordProDirective {
    /// The name in lower case; a short form is replaced by the long form.
    let name: String
    let value: String
    /// The players that the directive is meant for, as in `{comment-guitar: …}`; `nil` if it is meant for everybody.
    private(set) var selector: Selector?

    struct Selector: Hashable {
        let name: String
        /// The directive is meant for everybody else: `{comment-guitar!: …}`.
        let isNegated: Bool
    }

    /// Fails for any line that is not in braces.
    init?(_ raw: ArraySlice<Unicode.Scalar>) {
        let line = raw.trimmed()
        guard line.count >= 2, line.first == "{", line.last == "}" else { return nil }
        let inner = line.dropFirst().dropLast().trimmed()
        let name = inner.prefix { !$0.isBlank && $0 != ":" }
        var rest = inner[name.endIndex...].trimmed()
        if rest.first == ":" { rest = rest.dropFirst().trimmed() }
        let parts = name.map(\.loweredASCII).text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !parts[0].hasPrefix("x_"), !parts[0].isEmpty {
            let isNegated = parts[1].last == "!"
            selector = Selector(name: String(isNegated ? parts[1].dropLast() : parts[1]), isNegated: isNegated)
        }
        let lowered = selector == nil ? parts.joined(separator: "-") : String(parts[0])
        (self.name, value) = (Self.short[lowered] ?? lowered, rest.text)
    }

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    private static let short = [
        "t": "title", "st": "subtitle", "su": "subtitle", "c": "comment", "ci": "comment_italic", "cb": "comment_box", "np": "new_page",
        "npp": "new_physical_page", "colb": "column_break", "ns": "new_song", "soc": "start_of_chorus", "eoc": "end_of_chorus",
        "sov": "start_of_verse", "eov": "end_of_verse", "sob": "start_of_bridge", "eob": "end_of_bridge", "sot": "start_of_tab",
        "eot": "end_of_tab", "sog": "start_of_grid", "eog": "end_of_grid",
        // Names that older programs and other editors use.
        "gc": "comment", "guitar_comment": "comment", "author": "artist", "authors": "artist", "music": "composer", "words": "lyricist",
        "text": "lyricist",
    ]

    /// The names of directives that concern the whole song.
    static let details: Set<String> = [
        "title", "sorttitle", "subtitle", "artist", "sortartist", "composer", "lyricist", "arranger", "copyright", "album", "year", "key",
        "time",
        "tempo", "duration", "capo", "tag", "ccli",
    ]

    /// The details that are true of the whole song wherever they stand in the text.
    static let placeless: Set<String> = [
        "sorttitle", "artist", "sortartist", "composer", "lyricist", "arranger", "copyright", "album", "year", "tag", "ccli",
    ]

    /// The detail about the song, which may also be written as `{meta: artist Somebody}`; `nil` for other directives.
    var detail: Song.Detail? {
        guard name == "meta" else { return Self.details.contains(name) ? Song.Detail(name, value) : nil }
        let words = value.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, Self.details.contains(words[0]) else { return nil }
        return Song.Detail(words[0], Array(words[1].unicodeScalars).trimmed().text)
    }

    /// The heading of the part that the directive begins. Of a part's attributes, only `label` is shown.
    var beginning: Song.Heading? {
        guard let kind = part("start_of_") else { return nil }
        let attributes = ChordProAttributes(value)
        var label = attributes.map { $0["label"] ?? "" } ?? value
        if attributes == nil, kind == "grid" { label = Self.withoutShape(label) }
        let isPlain = label == value
        label = Array(label.replacing("\\n", with: " ").unicodeScalars)[...].withoutTags(Markup.end).trimmed().text
        return Song.Heading(kind: kind, name: label.isEmpty ? nil : label, written: isPlain && label == value ? nil : value)
    }

    /// The label behind a grid's shape, as in `1+4x2+4 Intro`.
    private static func withoutShape(_ value: String) -> String {
        guard let shape = value.prefixMatch(of: /([0-9]+\+)?[0-9]+(x[0-9]+)?(\+[0-9]+)?(?=[\s:]|$)[\s:]*/) else { return value }
        return String(value[shape.range.upperBound...])
    }

    /// The kind of part that the directive ends, if it ends one.
    var ending: String? { part("end_of_") }

    private func part(_ start: String) -> String? {
        guard name.hasPrefix(start), name.utf8.count > start.utf8.count, name.utf8.count < 60 else { return nil }
        let kind = name.dropFirst(start.count)
        guard kind.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }) else { return nil }
        return String(kind)
    }

    var noteKind: Song.NoteKind? { Self.notes.first { $0.name == name }?.kind }

    static func name(of kind: Song.NoteKind) -> String { notes.first { $0.kind == kind }!.name }

    /// The directives for notes. Names with `x_` are for one program, and all other programs ignore them.
    private static let notes: [(name: String, kind: Song.NoteKind)] = [
        ("comment", .plain), ("comment_italic", .italic), ("comment_box", .boxed), ("highlight", .highlighted),
        ("x_charts_comment", .chartsOnly),
    ]

    /// The line of the song that this directive alone makes; `nil` for all other directives.
    var line: Song.Line? {
        switch name {
        case "new_page", "new_physical_page": .newPage(chartsOnly: false)
        case "x_charts_new_page": .newPage(chartsOnly: true)
        case "column_break": .newColumn(chartsOnly: false)
        case "x_charts_column_break": .newColumn(chartsOnly: true)
        case "chorus": .chorus(chorus.isEmpty ? nil : chorus)
        case "transpose" where value.isEmpty: .change(.transpose(nil))
        case "transpose": amount.map { .change(.transpose($0)) }
        case "x_redefine_key": amount.map { .change(.redefine($0)) }
        default: nil
        }
    }

    private var chorus: String { ChordProAttributes(value).map { $0["label"] ?? "" } ?? value }

    /// The number of semitones, if it is below 100 either way. A last letter that requests a key, sharps or flats is ignored.
    private var amount: Int? {
        let number = asksForKey || asksForSigns ? String(value.unicodeScalars.dropLast()) : value
        return Int(number).flatMap { $0.magnitude < 100 ? $0 : nil }
    }

    private var asksForKey: Bool { value.unicodeScalars.last == "k" }
    private var asksForSigns: Bool { value.unicodeScalars.last.map { "sf#b♯♭".unicodeScalars.contains($0) } == true }

    var asksForSpelling: Bool { name == "transpose" && asksForSigns }

    /// Whether the directive is meant only for other programs, so that no remark about it is needed.
    var isPrivate: Bool { name.hasPrefix("x_") || name == "meta" && value.hasPrefix("x_") }

    /// Details that are never shown.
    static let unshown: Set<String> = ["sorttitle", "sortartist", "tag"]

    var written: String { value.isEmpty ? "{\(name)}" : "{\(name): \(value)}" }
}
