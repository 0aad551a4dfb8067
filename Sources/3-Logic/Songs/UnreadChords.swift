/// Lines of chords that are known by sight and not read: German minor chords in small letters, as in `fis D`, and names such as `DO  LAm`.
/// They are drawn as they stand, in their columns, with the words below them.
struct UnreadChords {
    private let hasSmall: Bool
    private let hasSolfege: Bool

    /// A line of small letters has chords only beside others, since it may be sung.
    init(_ lines: [ArraySlice<Unicode.Scalar>], _ naming: Naming) {
        let small = lines.count(where: Self.isSmall)
        hasSmall = small > 1 || small == 1 && (naming == .german || lines.contains { Self.hasChords($0, naming) })
        hasSolfege = lines.contains(where: Self.isSolfege)
    }

    enum Kind {
        /// Others move, so these have to be named.
        case small
        /// The song as a whole is known to have such names.
        case solfege
    }

    func kind(of line: ArraySlice<Unicode.Scalar>) -> Kind? {
        if hasSmall, Self.isSmall(line) { return .small }
        return hasSolfege && (Self.isSolfege(line) || Solfege.isShoutedChord(line.trimmed())) ? .solfege : nil
    }

    /// The words of a line below such chords; `nil` if it has anything else. Read again by themselves, they have to be the same.
    func words(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> ArraySlice<Unicode.Scalar>? {
        var open: Set<WordLine.Style> = []
        let line = InlineReader(raw, naming, open: &open).line
        let text = Array(line.text.unicodeScalars)[...]
        guard line.chords.isEmpty, !text.trimmed().isEmpty, !text.contains("["), !text.contains("<"), text.first != "#", text.last != "\\",
            ChordProDirective(text) == nil, SectionHeading(text) == nil, Tablature(text) == nil, kind(of: text) == nil
        else { return nil }
        return LooseChords(text, naming, orGerman: false).isNone ? text : nil
    }

    /// Whether a line may be of this kind, in one song or another.
    static func mayBe(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        isSmall(line) || isSolfege(line) || Solfege.isShoutedChord(line.trimmed())
    }

    /// With single blanks between the names, no column is lost, and the line may be sung.
    private static func isSolfege(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        let hasColumns = line.first?.isBlank == true || zip(line, line.dropFirst()).contains { $0.isBlank && $1.isBlank }
        // A line that ends with a backslash goes on.
        return (hasColumns || line.contains("\t")) && line.last != "\\" && !Solfege.chords(inLine: line).isEmpty
    }

    private static func isSmall(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard line.count <= 200, let first = line.first(where: { !$0.isBlank }), beginnings.contains(first), !line.contains("["),
            line.last != "\\"
        else { return false }
        let words = line.split(whereSeparator: \.isBlank).filter { !ChordText.isFiller($0) }
        guard words.contains(where: { ("a"..."h").contains($0[$0.startIndex]) }), words.allSatisfy(isName) else { return false }
        return words.contains { !sung.contains($0.map(\.loweredASCII).text) }
    }

    private static func isName(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = word.first, word.count <= 12 else { return false }
        guard ("a"..."h").contains(first) else { return Chord(word, .german) != nil || Chord(word, .english) != nil }
        return word.dropFirst().allSatisfy { $0.isDigit || endings.contains($0) }
            && Chord(([first.uppedASCII] + word.dropFirst())[...], .german) != nil
    }

    private static func hasChords(_ line: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> Bool {
        guard line.contains("[") else { return LooseChords(line, naming).certain?.names.isEmpty == false }
        var open: Set<WordLine.Style> = []
        return InlineReader(line, naming, open: &open).line.chords.contains { !$0.chord.chords.isEmpty }
    }

    private static let beginnings = Set("abcdefghABCDEFGH|(/-".unicodeScalars)
    private static let endings = Set("isem#b/+".unicodeScalars)
    /// A line of these alone may be sung.
    private static let sung: Set<String> = ["a", "ab", "am", "as", "des", "em", "es", "hm"]
}
