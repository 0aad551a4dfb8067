/// Chords without brackets after a word, as in `Intro: G C D` or `Tag: G | C | D`.
struct LabelledChords {
    /// The heading that the word is; `nil` if it is no name of a part.
    let heading: Song.Heading?
    /// The chords alone and, below, behind the word.
    let chords: WordLine
    let line: WordLine
    /// Whether the chords cannot be words.
    let isSure: Bool

    init?(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        guard raw.count <= 400, !raw.contains("[") else { return nil }
        let plain = StyleTag.removed(from: raw).trimmed()
        guard let end = Self.end(of: plain), let chords = ChordLine(plain[end...], naming) else { return nil }
        let (label, names, hasColon) = (plain[..<end], chords.names, plain[end - 1] == ":")
        heading = SectionHeading(label)?.heading
        // Parts have letters, too: `VERSE A` is a heading.
        guard hasColon || names.count > 1 else { return nil }
        isSure = heading != nil || names.count > 1 || chords.isSure
        self.chords = chords.alone
        let shift = label.count + 1 - (chords.alone.chords.first?.place ?? 0)
        let blanks = chords.alone.text.unicodeScalars.dropFirst(chords.alone.chords.first?.place ?? 0)
        line = WordLine(
            text: label.text + " " + Array(blanks).text, chords: chords.alone.chords.map { .init($0.chord, at: $0.place + shift) })
    }

    /// The index after the word: after a colon or, if the word is the name of a part, before a blank.
    private static func end(of line: ArraySlice<Unicode.Scalar>) -> Int? {
        if let colon = line.prefix(41).firstIndex(of: ":"), colon > line.startIndex {
            let label = line[..<colon]
            guard label.contains(where: { $0.properties.isAlphabetic }) else { return nil }
            return label.allSatisfy { $0.properties.isAlphabetic || $0.isDigit || $0.isBlank || signs.contains($0) } ? colon + 1 : nil
        }
        let word = line.prefix(30).prefix { !$0.isBlank }
        return word.endIndex < line.endIndex && SectionHeading(word) != nil ? word.endIndex : nil
    }

    private static let signs: Set<Unicode.Scalar> = ["-", "(", ")", ".", "/", "&", "'", "’", "#", "+"]
}

/// Whether a line without brackets may have chords among its words, as in `G C D twice`.
func mayHaveChords(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> Bool {
    guard raw.count <= 400, !raw.contains("[") else { return false }
    let words = raw.split(whereSeparator: \.isBlank).filter { !ChordText.isFiller($0) }
    let chords = words.filter { ("A"..."H").contains($0.first!) && !ChordText($0, naming).chords.isEmpty }
    return chords.count * 2 >= words.count && Set(chords.map(\.text)).count > 1
}

extension WordLine {
    /// A note. Chords without brackets are chords if nothing in the note is a word.
    init(note raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        if let chords = LabelledChords(raw, naming), chords.isSure {
            self = chords.line
        } else if let chords = ChordLine(raw, naming), chords.isSure, !raw.contains("[") {
            self = chords.alone
        } else {
            var open: Set<Style> = []
            self = InlineReader(raw, naming, open: &open).line
        }
    }
}
