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
        guard let (label, chords) = Self.afterColon(plain, naming) ?? Self.afterHeading(plain, naming) else { return nil }
        heading = SectionHeading(label)?.heading
        let names = chords.names
        // In `Form: A A B A` the letters are parts.
        isSure = heading != nil || plain.contains("|") || names.contains { $0.written.count > 1 && $0.written != "Am" }
        self.chords = chords.alone.behind([Unicode.Scalar]())
        line = chords.alone.behind(label + [" "])
    }

    private static func afterColon(
        _ line: ArraySlice<Unicode.Scalar>, _ naming: Naming
    ) -> (label: ArraySlice<Unicode.Scalar>, ChordLine)? {
        guard let colon = line.prefix(41).firstIndex(of: ":"), colon > line.startIndex else { return nil }
        let label = line[..<colon]
        guard label.contains(where: { $0.properties.isAlphabetic }),
            label.allSatisfy({ $0.properties.isAlphabetic || $0.isDigit || $0.isBlank || signs.contains($0) })
        else { return nil }
        return ChordLine(line[(colon + 1)...], naming).map { (line[...colon], $0) }
    }

    /// Chords after the name of a part, with its number and repeats: `VERSE 2 | G | C |`, `INTRO 2X - G C D`. Parts have letters, too:
    /// `VERSE A` is a heading.
    private static func afterHeading(
        _ line: ArraySlice<Unicode.Scalar>, _ naming: Naming
    ) -> (label: ArraySlice<Unicode.Scalar>, ChordLine)? {
        var place = line.startIndex
        for _ in 0..<5 {
            place = line[place...].firstIndex { $0.isBlank } ?? line.endIndex
            guard place < line.endIndex else { return nil }
            var label = line[..<place]
            while let last = label.last, last.isBlank || ["-", "–", "—"].contains(last) { label.removeLast() }
            if SectionHeading(label) != nil, let chords = ChordLine(line[place...], naming), chords.names.count > 1 || line.contains("|") {
                return (label, chords)
            }
            place = line[place...].firstIndex { !$0.isBlank } ?? line.endIndex
        }
        return nil
    }

    private static let signs: Set<Unicode.Scalar> = ["-", "(", ")", ".", "/", "&", "'", "’", "#", "+"]
}

/// Whether a line may have chords outside of brackets among its words, as in `G C D twice`. With `orGerman`, German chords count as well,
/// whatever the song's names of notes are.
func mayHaveChords(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming, orGerman: Bool = true) -> Bool {
    guard raw.count <= 400 else { return false }
    var (plain, isInside): ([Unicode.Scalar], Bool) = ([], false)
    for scalar in raw {
        if scalar == "[" { isInside = true } else if scalar == "]" { isInside = false } else if !isInside { plain.append(scalar) }
    }
    let words = plain.split(whereSeparator: \.isBlank).filter { !ChordText.isFiller($0) }
    let chords = words.filter { ("A"..."H").contains($0.first!) && isChord($0, naming, orGerman) }
    // In German, small letters are minor chords. Only beside other chords are they taken for any.
    let small = words.filter { word in
        orGerman && ("a"..."h").contains(word.first!) && word.count < 3
            && isChord(([word.first!.uppedASCII] + word.dropFirst())[...], naming, orGerman)
    }
    let distinct = Set(chords.map(\.text))
    if (chords.count + small.count) * 2 >= words.count, distinct.count > 1 { return true }
    // Chords may be in round brackets among the words.
    return Set(words.filter { $0.first == "(" && isChord($0, naming, orGerman) }.map(\.text)).count > 1
}

private func isChord(_ word: ArraySlice<Unicode.Scalar>, _ naming: Naming, _ orGerman: Bool) -> Bool {
    !ChordText(word, naming).chords.isEmpty || orGerman && !ChordText(word, .german).chords.isEmpty
}

extension WordLine {
    /// The line without its first blanks, behind another text.
    fileprivate func behind(_ text: some Collection<Unicode.Scalar>) -> WordLine {
        let first = chords.first?.place ?? 0
        let rest = Array(self.text.unicodeScalars.dropFirst(first)).text
        return WordLine(text: text.text + rest, chords: chords.map { .init($0.chord, at: $0.place + text.count - first) })
    }

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
