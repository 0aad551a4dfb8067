/// Chords without brackets: on a line above the words, or after a word.
struct ChordLine {
    /// The word before the chords, as in `Intro: G C D`; empty if there is none.
    private(set) var label: ArraySlice<Unicode.Scalar> = []
    /// The heading that the label is; `nil` if it is no name of a part.
    private(set) var heading: Song.Heading?
    /// The chords, each with the column in which it begins. A tab continues to the next multiple of eight.
    private let chords: [(text: ChordText, column: Int)]
    /// The chords over an otherwise blank line, in their columns.
    private let blanks: WordLine
    private let hasBars: Bool
    /// Whether the line has numbers in place of chords: `1 4 5 6-`. They are right in every key.
    let isOfNumbers: Bool

    /// Fails if the line has no chord, or a word that is neither usual among chords nor in brackets after a chord.
    init?(_ line: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        guard let first = line.first(where: { !$0.isBlank }) else { return nil }
        let beginsWithNumber = ("1"..."7").contains(first)
        guard beginsWithNumber || Self.beginnings.contains(first) else { return nil }
        var words: [(text: ChordText, place: Int, blanks: Int)] = []
        var numbers: [String] = []
        var (blanks, found, depth, hasBars, hasChords) = (0, 0, 0, false, false)
        var place = line.startIndex
        while place < line.endIndex {
            if line[place].isBlank {
                blanks += 1
                place += 1
                continue
            }
            let word = line[place...].prefix { !$0.isBlank }
            guard !word.contains("["), !word.contains("]") else { return nil }
            // In `C: G C D` the first letter is a name.
            guard words.count > 0 || word.last != ":" || word.count == 1 || word.contains("|") else { return nil }
            // Where frets are, a moved name would be wrong.
            guard !Tablature.isHand(word) else { return nil }
            let text = ChordText(inBrackets: word, naming)
            let names = text.chords.count
            found += ChordText.saysNoChord(word) ? 1 : names
            hasChords = hasChords || names > 0
            hasBars = hasBars || word.contains("|")
            if names == 0, let number = ChordNumber.loose(word) { numbers.append(number) }
            // Other words may stand in brackets, but only after a chord.
            let isAside = depth > 0 || word.first == "(" && names == 0 && found > 0
            guard isAside || text.unknown.isEmpty else { return nil }
            if isAside { depth += word.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) } }
            words.append((text, place - line.startIndex, blanks))
            place = word.endIndex
        }
        // In `1 2 3 4`, somebody counts.
        let isCounted = zip(numbers, 1...).allSatisfy { $0 == String($1) }
        isOfNumbers = !hasChords && !isCounted && Set(numbers).count > 1
        guard isOfNumbers || found > 0 && !beginsWithNumber, depth == 0 else { return nil }
        self.hasBars = hasBars
        let columns = Columns(of: line)
        chords = words.map { ($0.text, columns.starts[$0.place]) }
        self.blanks = WordLine(text: line.filter(\.isBlank).text, chords: words.map { .init($0.text, at: $0.blanks) })
    }

    private static let beginnings = Set("ABCDEFGHN|/(:-–—%x×.*‖\"<".unicodeScalars)

    /// Fails unless the line has chords after a word.
    init?(labelled line: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        guard let (label, chords) = Self.afterColon(line, naming) ?? Self.afterHeading(line, naming) else { return nil }
        self = chords
        (self.label, heading) = (label, SectionHeading(label)?.heading)
        // After other words, numbers are just numbers.
        guard !isOfNumbers || heading != nil || hasBars else { return nil }
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
        guard SectionHeading.mayBegin(line) else { return nil }
        var place = line.startIndex
        for _ in 0..<5 {
            place = line[place...].firstIndex { $0.isBlank } ?? line.endIndex
            guard place < line.endIndex else { return nil }
            var label = line[..<place]
            while let last = label.last, last.isBlank || ["-", "–", "—"].contains(last) { label.removeLast() }
            let next = line[place...].firstIndex { !$0.isBlank } ?? line.endIndex
            if SectionHeading(label) != nil, let chords = ChordLine(line[place...], naming),
                // The digit after the name is the part's own.
                chords.names.count > 1 || line.contains("|") && !(chords.isOfNumbers && line[next].isDigit)
            {
                return (label, chords)
            }
            place = next
        }
        return nil
    }

    private static let signs: Set<Unicode.Scalar> = ["-", "(", ")", ".", "/", "&", "'", "’", "#", "+"]

    var names: [Chord] { chords.flatMap(\.text.chords) }

    /// Whether the line cannot be words. A single A or Am may be a word, and in `Form: A A B A` the letters are parts.
    var isSure: Bool {
        let names = names
        guard label.isEmpty else { return heading != nil || hasBars || names.contains { $0.written.count > 1 && $0.written != "Am" } }
        return names.count != 1 || !["A", "Am"].contains(names[0].written)
    }

    /// The chords without the label.
    var alone: WordLine { label.isEmpty ? blanks : blanks.behind([Unicode.Scalar]()) }

    /// The chords behind the label.
    var line: WordLine { label.isEmpty ? blanks : blanks.behind(label + [" "]) }

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
        starts.reserveCapacity(line.count)
        ends.reserveCapacity(line.count)
        var column = 0
        // Each letter of ASCII is a character, so this needs no division into characters.
        if line.allSatisfy({ $0.isASCII && $0 != "\r" }) {
            for scalar in line { add(1, scalar == "\t", &column) }
        } else {
            for character in line.text { add(character.unicodeScalars.count, character == "\t", &column) }
        }
    }

    private mutating func add(_ count: Int, _ isTab: Bool, _ column: inout Int) {
        let end = column + (isTab ? 8 - column % 8 : 1)
        for _ in 0..<count {
            starts.append(column)
            ends.append(end)
        }
        column = end
    }
}

extension WordLine {
    /// The line without its first blanks, behind another text.
    fileprivate func behind(_ text: some Collection<Unicode.Scalar>) -> WordLine {
        let first = chords.first?.place ?? 0
        let rest = Array(self.text.unicodeScalars.dropFirst(first)).text
        return WordLine(text: text.text + rest, chords: chords.map { .init($0.chord, at: $0.place + text.count - first) })
    }
}
