/// A line of chords above the words.
struct ChordLine {
    /// The chords, each with the column in which it begins. A tab continues to the next multiple of eight.
    private let chords: [(text: ChordText, column: Int)]
    /// The chords over an otherwise blank line, in their columns.
    private let blanks: WordLine

    /// Fails if the line has no chord, or a word that is neither usual among chords nor in brackets after a chord.
    init?(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        guard let first = raw.first(where: { !$0.isBlank }), Self.beginnings.contains(first), !Self.isTablature(raw) else { return nil }
        let line = StyleTag.removed(from: raw)
        var (chords, placed): ([(ChordText, Int)], [WordLine.PlacedChord]) = ([], [])
        var (words, count) = (String.UnicodeScalarView(), 0)
        var (found, depth) = (0, 0)
        let columns = Columns(of: line)
        var place = line.startIndex
        while place < line.endIndex {
            if line[place].isBlank {
                words.append(line[place])
                count += 1
                place += 1
                continue
            }
            let word = line[place...].prefix { !$0.isBlank }
            guard !word.contains("["), !word.contains("]") else { return nil }
            // In `C: G C D` the first letter is a name.
            guard chords.count > 0 || word.last != ":" || word.count == 1 || word.contains("|") else { return nil }
            let text = ChordText(word, naming)
            found += ChordText.saysNoChord(word) ? 1 : text.chords.count
            // Other words may stand in brackets, but only after a chord.
            let isAside = depth > 0 || word.first == "(" && text.chords.isEmpty && found > 0
            guard isAside || text.unknown.isEmpty else { return nil }
            if isAside { depth += word.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) } }
            chords.append((text, columns.starts[place - line.startIndex]))
            placed.append(.init(text, at: count))
            place = word.endIndex
        }
        guard found > 0, depth == 0 else { return nil }
        (self.chords, blanks) = (chords, WordLine(text: String(words), chords: placed))
    }

    private static let beginnings = Set("ABCDEFGHN|/(:-–—%x×.*‖\"<".unicodeScalars)

    /// Whether the line is a string of a tablature: `E ---3---|---`. Its letter is a string's name, and no chord.
    static func isTablature(_ raw: ArraySlice<Unicode.Scalar>) -> Bool {
        let line = raw.trimmed()
        guard line.count(where: { $0 == "-" }) >= 4 else { return false }
        let name = line.prefix(2).prefix { $0.properties.isAlphabetic || $0 == "#" }
        let signs = line.dropFirst(name.count)
        // `Ooh ------` is sung, a line that begins with # is hidden in ChordPro, and one that ends with a backslash goes on.
        guard signs.contains(where: { $0 == "|" || $0.isDigit }), line.first != "#", line.last != "\\" else { return false }
        return signs.count { $0 == "-" || $0 == "|" || $0.isDigit || $0.isBlank || tablature.contains($0) } == signs.count
    }

    private static let tablature = Set(":hpbrxXst/\\~^()<>=.*".unicodeScalars)

    var alone: WordLine { blanks }

    var names: [Chord] { chords.flatMap(\.text.chords) }

    /// Whether the line cannot be words. A single A or Am may be a word.
    var isSure: Bool {
        let names = names
        return names.count != 1 || !["A", "Am"].contains(names[0].written)
    }

    /// The words of the line below, with these chords over them. A chord over a tag is placed over the word after the tag.
    func above(_ raw: ArraySlice<Unicode.Scalar>, _ words: InlineReader) -> WordLine {
        let columns = Columns(of: raw)
        var line = words.line
        line.hasChordsAbove = true
        var place = 0
        line.chords = chords.map { chord, column in
            while place < columns.ends.count, columns.ends[place] <= column { place += 1 }
            return .init(chord, at: words.places[min(place, words.places.count - 1)])
        }
        return line
    }
}

/// The columns in which each scalar of a line begins and ends. All scalars of one character have the same columns.
private struct Columns {
    private(set) var starts: [Int] = []
    private(set) var ends: [Int] = []

    init(of line: ArraySlice<Unicode.Scalar>) {
        var column = 0
        for character in line.text {
            let end = column + (character == "\t" ? 8 - column % 8 : 1)
            for _ in character.unicodeScalars {
                starts.append(column)
                ends.append(end)
            }
            column = end
        }
    }
}
