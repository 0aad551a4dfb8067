/// Words and chords as a line of ChordPro.
///
/// Words may look like something else in ChordPro: a bracket, a tag, a line in braces. Then an empty bracket, which is not shown,
/// is added to prevent the misreading.
extension WordLine {
    private static let nothing: [Unicode.Scalar] = ["[", "]"]

    func chordProLine(_ naming: Naming) -> String {
        let line = marked
        let isOther =
            line.first == "#" || UnreadChords.mayBe(line[...]) || Tablature(line[...]) != nil || ChordProDirective(line[...]) != nil
            || LooseChords(line[...], naming).certain != nil || SectionHeading(inBrackets: line[...], naming) != nil
        // A backslash at the end would join the next line.
        return ((isOther ? Self.nothing + line : line) + (line.last == "\\" ? Self.nothing : [])).text
    }

    /// The line as the value of a directive. A value would lose blanks at both ends and a leading colon, so they are protected; a name of
    /// a part alone would begin that part.
    func chordProValue(_ naming: Naming) -> String {
        var line = marked
        let isOther = LooseChords(line[...], naming).certain != nil || SectionHeading(comment: line[...]) != nil
        if let first = line.first, first.isBlank || first == ":" || isOther { line = Self.nothing + line }
        if line.last?.isBlank == true { line += Self.nothing }
        return line.text
    }

    private var marked: [Unicode.Scalar] {
        let words = Array(text.unicodeScalars)
        var line: [Unicode.Scalar] = []
        line.reserveCapacity(words.count + chords.count * 4)
        var insertions: [Int: [Unicode.Scalar]] = [:]
        for style in styles { insertions[style.range.upperBound, default: []] += "</\(style.style.rawValue)>".unicodeScalars }
        for style in styles { insertions[style.range.lowerBound, default: []] += "<\(style.style.rawValue)>".unicodeScalars }
        for chord in chords { insertions[chord.place, default: []] += "[\(chord.chord.written)]".unicodeScalars }
        for place in 0...words.count {
            if place > 0, words[place - 1] == "[" || words[place - 1] == "<" && place < words.count { line += Self.nothing }
            line += insertions[place] ?? []
            if place < words.count { line.append(words[place]) }
        }
        return line
    }
}
