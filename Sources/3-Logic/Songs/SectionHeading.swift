/// A heading in the service's text: the name of a part on a line of its own, in capitals.
///
/// It is not documented how the service distinguishes headings from sung words in capitals. Here, a heading begins with a usual
/// name of a part, perhaps after a word such as FINAL. A number, a repeat, or a remark that begins with a sign may follow: `BRIDGE
/// 2`, `TAG (x2)`, `VERSE 1: SOFTLY`, but not `BRIDGE OVER TROUBLED WATER`. If the line is not in capitals, only the name, a
/// number, a repeat and a remark in brackets are allowed. In square brackets, other words may stand beside the name.
struct SectionHeading {
    let heading: Song.Heading

    init?(_ raw: ArraySlice<Unicode.Scalar>) {
        guard raw.count <= 200 else { return nil }
        var name = raw.withoutTags { StyleTag($0, at: $1)?.end ?? Markup.end($0, at: $1) }.trimmed()
        // Some programs write headings in brackets.
        let isInBrackets = name.first == "[" && name.last == "]"
        if isInBrackets { name = name.dropFirst().dropLast().trimmed() }
        // In the value of a directive, a backslash could begin a line break.
        guard name.first?.properties.isUppercase == true, !name.contains(where: { ["[", "]", "\\"].contains($0) }) else { return nil }
        guard let kind = Self.kind(of: name) ?? (isInBrackets ? Self.kind(inBrackets: name) : nil) else { return nil }
        heading = Song.Heading(kind: kind, name: name.text)
    }

    /// A line that has only the name of a part in brackets, perhaps with a remark after it: `[Solo] (x2)`.
    init?(inBrackets raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        let line = raw.trimmed()
        guard line.last == "]" || line.first == "[" && line.last == ")" else { return nil }
        self.init(TextHeader.withoutBrackets(line, naming))
    }

    /// A comment that is only the name of a part, perhaps in small letters: `{c: chorus}`.
    init?(comment raw: ArraySlice<Unicode.Scalar>) {
        let text = raw.trimmed()
        guard let first = text.first else { return nil }
        self.init(("a"..."z").contains(first) ? ([first.uppedASCII] + text.dropFirst())[...] : text)
    }

    private static func kind(of name: ArraySlice<Unicode.Scalar>) -> String? {
        let isShouted = !name.contains { $0.properties.isLowercase && $0 != "x" }
        var words = Words(name)
        guard let first = words.word else { return nil }
        if isShouted, qualifiers.contains(first) { words.next() }
        guard let kind = kind(&words), isShouted || calm.contains(kind) else { return nil }
        words.skipNumber()
        words.skipTimes()
        let rest = words.rest.trimmed()
        guard
            rest.isEmpty || rest.first == "(" && rest.last == ")" || rest.elementsEqual([":"])
                || isShouted && signs.contains(rest[rest.startIndex])
        else { return nil }
        return kind
    }

    /// In brackets, other words may come before and after the name: `Banjo Interlude`, `Section A - Guitar`. A letter that may be a chord
    /// is allowed only in the name of a section, a longer chord never.
    private static func kind(inBrackets name: ArraySlice<Unicode.Scalar>) -> String? {
        guard name.allSatisfy({ $0.properties.isAlphabetic || $0.isDigit || $0.isBlank || marks.contains($0) }) else { return nil }
        let words = name.split { !$0.properties.isAlphabetic && !$0.isDigit }
        let capitals = words.map { $0.map(\.uppedASCII).text }
        guard (2...6).contains(words.count), !capitals.contains("IN"), !words.contains(where: { $0.count > 1 && Chord($0, .german) != nil })
        else { return nil }
        if saysPart(capitals) { return "section" }
        return words.contains { Chord($0, .german) != nil } ? nil : capitals.lazy.compactMap { kinds[$0] }.last
    }

    /// Whether one of these words says that letters are names of parts.
    static func saysPart(_ words: [String]) -> Bool {
        words.contains { word in parts.contains(word.unicodeScalars.filter { $0.properties.isAlphabetic }.map(\.uppedASCII).text) }
    }

    private static let parts: Set<String> = ["SECTION", "PART", "PARTS", "SECTIONS", "TEIL", "PARTIE", "PARTE"]
    private static let marks: Set<Unicode.Scalar> = ["-", "–", "—", "(", ")", "&", ".", "…", ",", "'", "’"]

    /// Whether the first word of a line may begin a heading: a quick look before a thorough one.
    static func mayBegin(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        Words(line).word.map { kinds[$0] != nil || befores[$0] != nil || qualifiers.contains($0) } ?? false
    }

    private static let befores = ["PRE": "pre_chorus", "POST": "post_chorus"]

    private static func kind(_ words: inout Words) -> String? {
        guard let first = words.word else { return nil }
        words.next()
        if let before = befores[first] {
            guard let second = words.word, kinds[second] == "chorus" else { return nil }
            words.next()
            return before
        }
        return kinds[first]
    }

    private static let signs: Set<Unicode.Scalar> = [":", "-", "–", "—", "(", ",", "/", "&", "+", "|", "*"]

    private static let qualifiers: Set<String> = [
        "FINAL", "LAST", "FIRST", "SECOND", "THIRD", "DOUBLE", "DOWN", "QUIET", "SOFT", "BIG", "HALF", "SHORT", "LONG", "ACOUSTIC", "ALT",
        "ALTERNATE", "REPEAT", "FULL",
    ]

    private static let kinds: [String: String] = [
        "INTRO": "intro", "INTRODUCTION": "intro", "VORSPIEL": "intro", "VERSE": "verse", "VERS": "verse", "STROPHE": "verse",
        "VERSO": "verse",
        "ESTROFA": "verse", "COUPLET": "verse", "CHORUS": "chorus", "REFRAIN": "chorus", "KEHRVERS": "chorus", "CORO": "chorus",
        "PRECHORUS": "pre_chorus", "POSTCHORUS": "post_chorus", "BRIDGE": "bridge", "PUENTE": "bridge", "TAG": "tag",
        "INTERLUDE": "interlude",
        "ZWISCHENSPIEL": "interlude", "INSTRUMENTAL": "instrumental", "INST": "instrumental", "TURNAROUND": "turnaround", "VAMP": "vamp",
        "BREAKDOWN": "breakdown", "BREAK": "break", "BUILD": "build", "ENDING": "ending", "END": "ending", "NACHSPIEL": "outro",
        "OUTRO": "outro",
        "CODA": "coda", "MISC": "misc", "SPOKEN": "spoken", "SOLO": "solo", "RAP": "rap", "HOOK": "hook", "CHANNEL": "channel",
        "RIFF": "riff",
        "REPRISE": "reprise", "DESCANT": "descant", "DOXOLOGY": "doxology",
    ]

    /// Names of parts that are rarely sung, so they count as headings even if the line is not in capitals.
    private static let calm: Set<String> = [
        "intro", "verse", "chorus", "pre_chorus", "post_chorus", "bridge", "tag", "interlude", "instrumental", "turnaround", "vamp",
        "outro", "coda",
        "ending",
    ]
}

/// Reads a heading word by word. A single hyphen separates words as blanks do.
private struct Words {
    private(set) var rest: ArraySlice<Unicode.Scalar>

    init(_ text: ArraySlice<Unicode.Scalar>) { rest = text }

    private var letters: ArraySlice<Unicode.Scalar> { rest.prefix { $0.properties.isAlphabetic } }

    /// The next word, converted to capitals; `nil` if no letter comes next, or if the word is longer than any word of a heading.
    var word: String? {
        let letters = letters
        return letters.isEmpty || letters.count > 16 ? nil : letters.map(\.uppedASCII).text
    }

    mutating func next() {
        rest = rest.dropFirst(letters.count)
        let blanks = rest.prefix { $0.isBlank || $0 == "-" || $0.value == 0x2010 }
        // A hyphen next to a blank begins a remark, so it is not skipped.
        if blanks.count == 1 || blanks.allSatisfy(\.isBlank) { rest = rest.dropFirst(blanks.count) }
    }

    /// Skips a number of a part: `1`, `2A`, `10b`, `A`, `IV`.
    mutating func skipNumber() {
        let digits = rest.prefix(4).prefix { $0.isDigit }.count
        let letters = rest.dropFirst(digits).prefix(5).prefix { $0.properties.isAlphabetic }
        guard digits > 0 || letters.count == 1 || !letters.isEmpty && letters.allSatisfy({ "IVX".unicodeScalars.contains($0) }) else {
            return
        }
        // An x next to a number means a repeat, so do not skip it as the number of a part.
        let isTimes = letters.count == 1 && letters.first?.loweredASCII == "x"
        guard !isTimes || digits == 0 && !rest.dropFirst().contains(where: \.isDigit) else { return }
        rest = rest.dropFirst(digits + (letters.count == 1 || digits == 0 ? letters.count : 0))
    }

    /// Skips the number of repeats: `x2`, `2x`, `X 4`.
    mutating func skipTimes() {
        let blanks = rest.prefix { $0.isBlank }.count
        var (end, digits, crosses) = (rest.startIndex + blanks, 0, 0)
        while end < rest.endIndex, digits <= 3, crosses <= 1 {
            let scalar = rest[end]
            if scalar.isDigit { digits += 1 } else if ["x", "X", "×"].contains(scalar) { crosses += 1 } else if !scalar.isBlank { break }
            end += 1
        }
        guard digits > 0, crosses == 1, end == rest.endIndex || !rest[end].properties.isAlphabetic else { return }
        rest = rest[end...]
    }
}
